// SPDX-License-Identifier: Apache-2.0
// What only SQLite has: a file beside us, one writer with many readers, a database in memory. The
// rest is in tests/sql, where all databases are held to one contract.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include <weft/cancel.h>
#include <weft/sql.h>
#include <weft/sql_pool.h>

namespace weft::sql {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class Sqlite : public testing::Test {
 protected:
  Sqlite() {
    std::string pattern = std::filesystem::temp_directory_path() / "weft-sqlite-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Sqlite() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Url url(const std::string& name = "test.db") const {
    return Url::parse("sqlite:" + (folder_ / name).string());
  }
  std::filesystem::path folder_;
};

ErrorKind kind_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "it went well";
  return ErrorKind::other;
}

TEST_F(Sqlite, InMemoryIsOneConnection) {
  ConnectionPoolOptions options;
  options.size = 8;
  ConnectionPool pool(Url::parse("sqlite::memory:"), options);
  pool.lease()->execute("CREATE TABLE t (x BIGINT)");
  pool.lease(Access::read)->execute("INSERT INTO t VALUES (1)");
  EXPECT_EQ(pool.lease(Access::read)->execute("SELECT x FROM t").size(), 1U);
  EXPECT_EQ(pool.counters().limit, 1U);
  EXPECT_EQ(pool.counters().opened, 1U);
}

TEST_F(Sqlite, ReadersReadBesideAWriterAndDoNotWrite) {
  ConnectionPoolOptions options;
  options.size = 4;
  ConnectionPool pool(url(), options);
  EXPECT_EQ(pool.counters().limit, 4U);
  const auto writer = pool.lease(Access::write);
  writer->execute("CREATE TABLE t (x BIGINT)");
  Transaction transaction(*writer);
  writer->execute("INSERT INTO t VALUES (1)");
  const auto reader = pool.lease(Access::read);
  EXPECT_EQ(reader->execute("SELECT x FROM t").size(), 0U);
  EXPECT_THROW(reader->execute("INSERT INTO t VALUES (2)"), Error);
  transaction.commit();
  EXPECT_EQ(reader->execute("SELECT x FROM t").size(), 1U);
}

TEST_F(Sqlite, SizesItsPoolFromTheBudget) {
  const ConnectionPool pool(url());
  EXPECT_GE(pool.counters().limit, 2U);
}

TEST_F(Sqlite, ThatIsLockedForTooLongIsRetriable) {
  Connection holder(url());
  holder.execute("CREATE TABLE t (x BIGINT)");
  const Transaction holding(holder);
  Options options;
  options.busy_timeout = 20ms;
  Connection waiting(url(), options);
  EXPECT_EQ(kind_of([&] { waiting.execute("INSERT INTO t VALUES (1)"); }), ErrorKind::retriable);
  EXPECT_FALSE(waiting.is_broken());
}

TEST_F(Sqlite, ThatCannotBeOpenedIsKnownToBeDownAndComesBackByItself) {
  ConnectionPoolOptions options;
  options.size = 2;
  options.shortest_pause = options.longest_pause = 1h;
  ConnectionPool patient(url("not/there/test.db"), options);
  EXPECT_EQ(kind_of([&] { const auto lease = patient.lease(); }), ErrorKind::unavailable);
  for (int round = 0; round < 10; ++round) {
    EXPECT_EQ(kind_of([&] { const auto lease = patient.lease(); }), ErrorKind::unavailable);
  }
  EXPECT_EQ(patient.counters().open_failures, 1U);
  EXPECT_EQ(patient.counters().refused, 10U);

  options.shortest_pause = options.longest_pause = 1ms;
  ConnectionPool eager(url("not/there/test.db"), options);
  EXPECT_EQ(kind_of([&] { const auto lease = eager.lease(); }), ErrorKind::unavailable);
  std::filesystem::create_directories(folder_ / "not/there");
  for (;;) {
    try {
      EXPECT_EQ(eager.lease()->execute("SELECT 1").size(), 1U);
      break;
    } catch (const Error&) {
      std::this_thread::yield();
    }
  }
}

TEST_F(Sqlite, ThatIsNoDatabaseSaysSo) {
  { std::ofstream(folder_ / "text.db") << std::string(5000, 'x'); }
  try {
    const Connection connection(url("text.db"));
    FAIL() << "it was opened";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("text.db"), std::string::npos) << error.what();
  }
}

TEST_F(Sqlite, KeepsReadingTextThatOthersHaveWritten) {
  Connection connection(url());
  connection.execute("CREATE TABLE t (x TEXT)");
  connection.execute("INSERT INTO t VALUES (CAST(? AS TEXT))",
                     {Blob{std::byte{'a'}, std::byte{0}, std::byte{0xff}}});
  EXPECT_EQ(connection.execute("SELECT x FROM t")[0].text(0), std::string("a\0\xff", 3));
}

TEST_F(Sqlite, RowsSayWhatTheyHoldInstead) {
  Connection connection(url());
  const Rows rows = connection.execute("SELECT 1, 'x', NULL");
  EXPECT_EQ(rows[0].real(0), 1.0);
  EXPECT_TRUE(rows[0].is_null(2));
  EXPECT_EQ(kind_of([&] { rows[0].integer(1); }), ErrorKind::misuse);
  EXPECT_EQ(kind_of([&] { rows[0].integer(3); }), ErrorKind::misuse);
  EXPECT_EQ(kind_of([&] { rows[0].text(2); }), ErrorKind::misuse);
}

}  // namespace
}  // namespace weft::sql
