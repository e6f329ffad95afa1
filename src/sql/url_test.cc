// SPDX-License-Identifier: Apache-2.0
// URLs that are right, and what is said about those that are wrong.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <weft/sql.h>

namespace weft::sql {
namespace {

std::string refusal_of(const std::string& text) {
  try {
    Url::parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::misuse);
    return error.what();
  }
  ADD_FAILURE() << text << " was taken";
  return {};
}

TEST(Url, OfSqliteIsAPath) {
  EXPECT_EQ(Url::parse("sqlite:data/my.db").database, "data/my.db");
  EXPECT_EQ(Url::parse("sqlite:/var/lib/my.db").database, "/var/lib/my.db");
  EXPECT_EQ(Url::parse("sqlite:///var/lib/my.db").database, "/var/lib/my.db");
  EXPECT_EQ(Url::parse("sqlite:what%3F%20%25").database, "what? %");
  EXPECT_TRUE(Url::parse("sqlite::memory:").is_in_memory());
  EXPECT_FALSE(Url::parse("sqlite:memory").is_in_memory());
}

TEST(Url, OfAServerHasParts) {
  const Url url = Url::parse(
      "postgresql://us%40er:p%3Aass%2F@db.example:5433/"
      "my%20shop?sslmode=require&sslrootcert=%2Fca");
  EXPECT_EQ(url.dialect, Dialect::postgresql);
  EXPECT_EQ(url.user, "us@er");
  EXPECT_EQ(url.password, "p:ass/");
  EXPECT_EQ(url.host, "db.example");
  EXPECT_EQ(url.port, 5433);
  EXPECT_EQ(url.database, "my shop");
  ASSERT_NE(url.parameter("sslmode"), nullptr);
  EXPECT_EQ(*url.parameter("sslmode"), "require");
  EXPECT_EQ(*url.parameter("sslrootcert"), "/ca");
  EXPECT_EQ(url.parameter("sslkey"), nullptr);
}

TEST(Url, MayLeaveOutWhatHasADefault) {
  const Url url = Url::parse("mariadb:///shop?socket=/run/my.sock");
  EXPECT_EQ(url.dialect, Dialect::mariadb);
  EXPECT_EQ(url.user, "");
  EXPECT_EQ(url.host, "");
  EXPECT_EQ(url.port, 0);
  EXPECT_EQ(*url.parameter("socket"), "/run/my.sock");
  EXPECT_EQ(Url::parse("postgres://me@[::1]:99/d").host, "::1");
  EXPECT_EQ(Url::parse("mysql://h/d").dialect, Dialect::mariadb);
}

TEST(Url, IsPrintedWithoutItsPassword) {
  const Url url = Url::parse("postgresql://me:s3cret@[fe80::1]:5/a%2Fb?application_name=x%26y");
  EXPECT_EQ(url.redacted(), "postgresql://me:***@[fe80::1]:5/a%2Fb?application_name=x%26y");
  EXPECT_EQ(Url::parse("sqlite::memory:").redacted(), "sqlite::memory:");
  EXPECT_EQ(Url::parse("mariadb://h/d").redacted(), "mariadb://h/d");
}

TEST(Url, ThatIsWrongIsRefusedWithWhatToDo) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "does not begin with"},
      {"s3cret", "does not begin with"},
      {"oracle://u:s3cret@h/d", "does not begin with"},
      {"sqlite:", "no path"},
      {"sqlite://host/x.db", "no host"},
      {"sqlite:x.db?mode=ro", "%3F"},
      {"postgresql:u:s3cret@h/d", "'//'"},
      {"postgresql://u:s3cret@h", "database is not named"},
      {"postgresql://u:s3cret@h/", "database is not named"},
      {"postgresql://u:s3cret@h/a/b", "%2F"},
      {"postgresql://u:s3cret@x@h/d", "%40"},
      {"postgresql://u:s3cret%4@h/d", "password"},
      {"postgresql://u:s3cret%zz@h/d", "password"},
      {"postgresql://u:s3cret%ff@h/d", "not UTF-8"},
      {"postgresql://u:s3cret%00@h/d", "NUL"},
      {"postgresql://u:s3cret@h:0/d", "port"},
      {"postgresql://u:s3cret@h:70000/d", "port"},
      {"postgresql://u:s3cret@[::1/d", "']'"},
      {"postgresql://u:s3cret@[::1]x/d", "']'"},
      {"postgresql://u:s3cret@h/d?sslmode", "name=value"},
      {"postgresql://u:s3cret@h/d?user=x", "there are: host, sslmode"},
      {"postgresql://u:s3cret@h/d?sslmode=a&sslmode=b", "twice"},
      {"postgresql://u:s3cret@h/d?host=/run", "leave one"},
      {"mariadb://u:s3cret@h/d?socket=/run", "leave one"},
  };
  for (const auto& [text, why] : wrong) {
    const std::string message = refusal_of(text);
    EXPECT_NE(message.find(why), std::string::npos) << text << ": " << message;
    EXPECT_EQ(message.find("s3cret"), std::string::npos) << text << ": " << message;
  }
}

}  // namespace
}  // namespace weft::sql
