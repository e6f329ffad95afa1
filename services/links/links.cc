// SPDX-License-Identifier: Apache-2.0
// The operations, each a statement or two.
#include "links.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "failure.h"
#include "rules.h"

namespace links {
namespace {

using weft::sql::ErrorKind;
using weft::sql::Row;
using weft::sql::Value;

constexpr const char* columns = "link_key, url, created_ms, expires_ms, visits";

Instant instant(std::int64_t milliseconds) {
  return Instant(std::chrono::milliseconds(milliseconds));
}

Value value_of(const std::optional<Instant>& time) {
  return time ? Value(std::int64_t{time->time_since_epoch().count()}) : Value();
}

Link link_of(const Row& row) {
  Link link{row.text(0), row.text(1), instant(row.integer(2)), std::nullopt, row.integer(4)};
  if (!row.is_null(3)) link.expires = instant(row.integer(3));
  return link;
}

// 48 bits of chance: of a million links, one in 280 million tries meets one of them.
std::string made_up_key() {
  static constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  std::array<unsigned char, 8> bytes{};
  while (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  std::string key;
  for (const unsigned char byte : bytes) key += letters[byte % letters.size()];
  return key;
}

[[noreturn]] void not_found() {
  throw Failure(Problem::not_found, "there is no link with this key");
}

}  // namespace

std::span<const weft::sql::Migration> migrations() {
  // Keys are compared byte by byte, and in that order, in all three.
  static const std::array all{weft::sql::Migration{
      .number = 1,
      .name = "links",
      .statements = {},
      .sqlite = {"CREATE TABLE links (link_key VARCHAR(64) PRIMARY KEY, url VARCHAR(2048) NOT NULL,"
                 " created_ms BIGINT NOT NULL, expires_ms BIGINT, visits BIGINT NOT NULL,"
                 " is_chosen BIGINT NOT NULL, idempotency_key VARCHAR(128) UNIQUE)"},
      .postgresql = {"CREATE TABLE links (link_key VARCHAR(64) COLLATE \"C\" PRIMARY KEY,"
                     " url VARCHAR(2048) NOT NULL, created_ms BIGINT NOT NULL, expires_ms BIGINT,"
                     " visits BIGINT NOT NULL, is_chosen BIGINT NOT NULL,"
                     " idempotency_key VARCHAR(128) COLLATE \"C\" UNIQUE)"},
      .mariadb = {
          "CREATE TABLE links (link_key VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin"
          " PRIMARY KEY, url VARCHAR(2048) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
          " NOT NULL, created_ms BIGINT NOT NULL, expires_ms BIGINT, visits BIGINT NOT NULL,"
          " is_chosen BIGINT NOT NULL, idempotency_key VARCHAR(128) CHARACTER SET ascii"
          " COLLATE ascii_bin UNIQUE) ENGINE=InnoDB"}}};
  return all;
}

void Links::insert(const Link& link, const NewLink& wanted) {
  connection_.execute(
      "INSERT INTO links (link_key, url, created_ms, expires_ms, visits, is_chosen,"
      " idempotency_key) VALUES (?, ?, ?, ?, 0, ?, ?)",
      {link.key, link.url, std::int64_t{link.created.time_since_epoch().count()},
       value_of(link.expires), std::int64_t{wanted.key ? 1 : 0},
       wanted.idempotency_key ? Value(*wanted.idempotency_key) : Value()});
}

// The link that the same creation has made before.
std::optional<Link> Links::find_earlier(const NewLink& wanted) {
  if (!wanted.idempotency_key) return std::nullopt;
  const auto rows = connection_.execute(
      "SELECT " + std::string(columns) + ", is_chosen FROM links WHERE idempotency_key = ?",
      {*wanted.idempotency_key});
  if (rows.empty()) return std::nullopt;
  Link earlier = link_of(rows[0]);
  std::optional<std::int64_t> expires_in_s;
  if (earlier.expires) {
    expires_in_s =
        std::chrono::duration_cast<std::chrono::seconds>(*earlier.expires - earlier.created)
            .count();
  }
  const bool was_chosen = rows[0].integer(5) != 0;
  const bool is_same = earlier.url == wanted.url && expires_in_s == wanted.expires_in_s &&
                       was_chosen == wanted.key.has_value() &&
                       (!was_chosen || earlier.key == *wanted.key);
  if (!is_same) {
    throw Failure(Problem::reused, "the idempotency key was used for another link");
  }
  return earlier;
}

Link Links::create(const NewLink& wanted) {
  check_url(wanted.url);
  if (wanted.key) check_chosen_key(*wanted.key);
  if (wanted.expires_in_s) check_expiry(*wanted.expires_in_s);
  if (wanted.idempotency_key) check_idempotency_key(*wanted.idempotency_key);

  Link link{"", wanted.url, now_, std::nullopt, 0};
  if (wanted.expires_in_s) link.expires = now_ + std::chrono::seconds(*wanted.expires_in_s);
  constexpr int most_tries = 5;
  for (int tries = 1;; ++tries) {
    link.key = wanted.key ? *wanted.key : made_up_key();
    try {
      insert(link, wanted);
      return link;
    } catch (const weft::sql::Error& error) {
      if (error.kind() != ErrorKind::conflict) throw;
      // Most often nobody was here before: so it is asked only now.
      if (auto earlier = find_earlier(wanted)) return *earlier;
      if (wanted.key) throw Failure(Problem::taken, "key: somebody else has it");
      if (tries == most_tries) throw;
    }
  }
}

Link Links::get(std::string_view key) {
  if (!is_key(key)) not_found();
  const auto rows = connection_.execute(
      "SELECT " + std::string(columns) + " FROM links WHERE link_key = ?", {std::string(key)});
  if (rows.empty()) not_found();
  return link_of(rows[0]);
}

void Links::remove(std::string_view key) {
  if (!is_key(key)) not_found();
  const auto done = connection_.execute("DELETE FROM links WHERE link_key = ?", {std::string(key)});
  if (done.affected == 0) not_found();
}

Link Links::resolve(std::string_view key) {
  Link link = get(key);
  if (link.expires && *link.expires <= now_) {
    throw Failure(Problem::expired, "the link has expired");
  }
  const auto done = connection_.execute("UPDATE links SET visits = visits + 1 WHERE link_key = ?",
                                        {std::string(key)});
  if (done.affected == 0) not_found();  // deleted since
  ++link.visits;
  return link;
}

std::vector<Link> Links::list(const Page& page) {
  check_page(page.prefix, page.after, page.limit);
  // "~" comes after all that a key is made of.
  const auto rows =
      connection_.execute("SELECT " + std::string(columns) +
                              " FROM links WHERE link_key > ? AND link_key >= ? AND link_key < ?"
                              " ORDER BY link_key LIMIT ?",
                          {page.after, page.prefix, page.prefix + "~", page.limit});
  std::vector<Link> found;
  found.reserve(rows.size());
  for (const Row& row : rows) found.push_back(link_of(row));
  return found;
}

}  // namespace links
