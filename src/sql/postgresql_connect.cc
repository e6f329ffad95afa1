// SPDX-License-Identifier: Apache-2.0
// Connecting to PostgreSQL, by libpq's steps, so that a token can end it.
#include "sql/postgresql_connect.h"

#include <poll.h>

#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "sql/alarm.h"
#include "sql/driver.h"

namespace weft::sql {
namespace {

// How long the network may swallow what is sent before the connection counts as lost, which is also
// what bounds a cancel to a host that has gone.
constexpr const char* lost_after_milliseconds = "5000";

// Names and values as libpq takes them; points into the URL.
class Keywords {
 public:
  explicit Keywords(const Url& url) : port_(std::to_string(url.port)) {
    add("host", url.host);
    if (url.port != 0) add("port", port_);
    add("user", url.user);
    add("password", url.password);
    add("dbname", url.database);
    for (const auto& [name, value] : url.parameters) add(name.c_str(), value);
    add("client_encoding", utf8_);
    add("fallback_application_name", name_);
    add("tcp_user_timeout", lost_after_);
  }
  PGconn* start() {
    names_.push_back(nullptr);
    values_.push_back(nullptr);
    return PQconnectStartParams(names_.data(), values_.data(), 0);
  }

 private:
  void add(const char* name, const std::string& value) {
    if (value.empty()) return;
    names_.push_back(name);
    values_.push_back(value.c_str());
  }
  const std::string port_;
  const std::string utf8_ = "UTF8";
  const std::string name_ = "weft";
  const std::string lost_after_ = lost_after_milliseconds;
  std::vector<const char*> names_;
  std::vector<const char*> values_;
};

}  // namespace

PGconn* connect_postgresql(const Url& url, const CancelToken& token) {
  Alarm alarm;
  if (!alarm.is_valid()) throw cannot_connect(url, "", "no descriptor is to be had");
  const OnCancel on_cancel(token, [&] { alarm.ring(); });
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection(Keywords(url).start(), &PQfinish);
  if (connection == nullptr) throw cannot_connect(url, "", "no memory is to be had");
  for (PostgresPollingStatusType next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK;
       next = PQconnectPoll(connection.get())) {
    if (next == PGRES_POLLING_FAILED || PQstatus(connection.get()) == CONNECTION_BAD) {
      throw cannot_connect(url, "",
                           base::printable(base::trim(PQerrorMessage(connection.get())), 500));
    }
    const short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (alarm.wait(PQsocket(connection.get()), events) == Alarm::Woken::by_alarm) {
      throw cannot_connect(url, "", "the server did not answer in time");
    }
  }
  return connection.release();
}

}  // namespace weft::sql
