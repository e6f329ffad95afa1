// SPDX-License-Identifier: Apache-2.0
// The contract's database is a SQLite file in a directory of its own.
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>

#include "tests/sql/backend.h"

namespace weft::sql::test {
namespace {

class SqliteBackend final : public Backend {
 public:
  SqliteBackend() {
    std::string pattern = std::filesystem::temp_directory_path() / "weft-sql-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~SqliteBackend() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string name() const override { return "sqlite"; }
  Url url() const override { return Url::parse("sqlite:" + (folder_ / "test.db").string()); }
  std::string blob_type() const override { return "BLOB"; }
  // It counts; at some ten million in a second.
  std::string statement_that_takes(double seconds) const override {
    const auto count = std::to_string(static_cast<long long>(seconds * 10'000'000) + 1);
    return "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < " + count +
           ") SELECT max(n) FROM c";
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace

const std::vector<Backend*>& backends() {
  static SqliteBackend sqlite;
  static const std::vector<Backend*> all{&sqlite};
  return all;
}

}  // namespace weft::sql::test
