// SPDX-License-Identifier: Apache-2.0
// Links: short links in a database, one operation at a time, on a connection that is lent for it.
//
// Concepts
//   link       a key, the URL that it stands for, and how often it was visited.
//   expired    its time is over: nobody is sent on any more, and it can still be looked at. Its key
//              stays its own until it is deleted.
//   idempotency key   the client's name for one creation. The same creation again, whichever
//              replica it reaches, is answered with the link that the first has made; so who got no
//              answer asks again, and there is still one link. It is kept as long as the link.
//
// Invariants
//   - Nothing is kept here: what was answered is in the database.
//   - Each change is one statement, so it is there as a whole or not at all. Where the connection
//     is lost on the way nobody can tell which: that is what idempotency keys are for.
//
// The connection says what is wrong with the database (weft::sql::Error), and ends with
// weft::cancellation(); all else is a Failure.
#pragma once

#include <weft/sql.h>
#include <weft/sql_migrations.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace links {

using Instant = std::chrono::sys_time<std::chrono::milliseconds>;

struct Link {
  std::string key;
  std::string url;
  Instant created;
  std::optional<Instant> expires;
  std::int64_t visits = 0;
};

struct NewLink {
  std::string url;
  std::optional<std::string> key;  // none: one is made up
  std::optional<std::int64_t> expires_in_s;
  std::optional<std::string> idempotency_key;
};

struct Page {
  std::string prefix;  // of the keys
  std::string after;   // the last key of the page before
  std::int64_t limit = 0;
};

// For weft::sql::migrate().
std::span<const weft::sql::Migration> migrations();

class Links {
 public:
  explicit Links(weft::sql::Connection& connection, Instant now = clock())
      : connection_(connection), now_(now) {}

  // Failures: invalid, taken, reused.
  Link create(const NewLink& wanted);
  // Failures of the next three: not_found.
  Link get(std::string_view key);
  void remove(std::string_view key);
  // Counts the visit, and answers where it goes. Failure: expired.
  Link resolve(std::string_view key);
  // In the order of the keys' bytes. Failure: invalid.
  std::vector<Link> list(const Page& page);

  static Instant clock() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  }

 private:
  void insert(const Link& link, const NewLink& wanted);
  std::optional<Link> find_earlier(const NewLink& wanted);

  weft::sql::Connection& connection_;
  const Instant now_;
};

}  // namespace links
