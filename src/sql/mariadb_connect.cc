// SPDX-License-Identifier: Apache-2.0
// Connecting to MariaDB.
#include "sql/mariadb_connect.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/text.h"
#include "sql/driver.h"

namespace weft::sql {
namespace {

const char* or_null(const std::string& text) noexcept {
  return text.empty() ? nullptr : text.c_str();
}

unsigned seconds_of(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(time).count();
  return static_cast<unsigned>(std::clamp<std::int64_t>(seconds, 1, 86'400));
}

void set_timeouts(MYSQL& connection, std::chrono::nanoseconds longest_greeting,
                  std::chrono::nanoseconds longest_answer) {
  const unsigned greeting = seconds_of(longest_greeting);
  mysql_optionsv(&connection, MYSQL_OPT_CONNECT_TIMEOUT, &greeting);
  if (longest_answer.count() == 0) return;
  const unsigned answer = seconds_of(longest_answer);
  mysql_optionsv(&connection, MYSQL_OPT_READ_TIMEOUT, &answer);
  mysql_optionsv(&connection, MYSQL_OPT_WRITE_TIMEOUT, &answer);
}

void set_security(MYSQL& connection, const Url& url) {
  // The server may ask the client for any of its files; it gets none.
  const unsigned no = 0;
  mysql_optionsv(&connection, MYSQL_OPT_LOCAL_INFILE, &no);
  if (const std::string* const authority = url.parameter("ssl_ca")) {
    const my_bool yes = 1;
    mysql_optionsv(&connection, MYSQL_OPT_SSL_ENFORCE, &yes);
    mysql_optionsv(&connection, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
    mysql_optionsv(&connection, MYSQL_OPT_SSL_CA, authority->c_str());
  }
}

}  // namespace

MYSQL* connect_mariadb(const Url& url, std::chrono::nanoseconds longest_greeting,
                       std::chrono::nanoseconds longest_answer) {
  static std::once_flag initialized;  // the library's own is not for threads
  std::call_once(initialized, [] { mysql_library_init(0, nullptr, nullptr); });
  std::unique_ptr<MYSQL, decltype(&mysql_close)> connection(mysql_init(nullptr), &mysql_close);
  if (connection == nullptr) throw cannot_connect(url, "", "no memory is to be had");
  set_timeouts(*connection, longest_greeting, longest_answer);
  set_security(*connection, url);
  mysql_optionsv(connection.get(), MYSQL_SET_CHARSET_NAME, "utf8mb4");
  // Strict, so that what does not fit is an error, as it is elsewhere.
  mysql_optionsv(connection.get(), MYSQL_INIT_COMMAND,
                 "SET SESSION sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')");
  const std::string* const socket = url.parameter("socket");
  if (mysql_real_connect(connection.get(), or_null(url.host), or_null(url.user),
                         or_null(url.password), or_null(url.database), url.port,
                         socket == nullptr ? nullptr : socket->c_str(), 0) == nullptr) {
    throw cannot_connect(url, std::to_string(mysql_errno(connection.get())),
                         base::printable(mysql_error(connection.get()), 500));
  }
  return connection.release();
}

}  // namespace weft::sql
