// SPDX-License-Identifier: Apache-2.0
// URLs of databases: parsed strictly, and printed without their passwords.
#include <weft/sql.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/text.h"
#include "sql/text.h"

namespace weft::sql {
namespace {

constexpr std::array postgresql_parameters =
    std::to_array<std::string_view>({"host", "sslmode", "sslrootcert", "sslcert", "sslkey",
                                     "application_name", "target_session_attrs"});
constexpr std::array mariadb_parameters = std::to_array<std::string_view>({"socket", "ssl_ca"});

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::misuse, "", "database URL: " + what);
}

int hexadecimal(char digit) noexcept {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

// `part` is for the error, which does not show the text: it may be the password.
std::string decoded(std::string_view text, const char* part) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (text[index] != '%') {
      result.push_back(text[index]);
      continue;
    }
    const int high = index + 2 < text.size() ? hexadecimal(text[index + 1]) : -1;
    const int low = index + 2 < text.size() ? hexadecimal(text[index + 2]) : -1;
    if (high < 0 || low < 0) {
      refuse(std::string("a '%' in the ") + part +
             " is not followed by two hexadecimal digits; a percent sign itself is written %25");
    }
    result.push_back(static_cast<char>(high * 16 + low));
    index += 2;
  }
  if (!is_plain_text(result)) {
    refuse(std::string("the ") + part + " is not UTF-8, or has a NUL byte in it");
  }
  return result;
}

std::uint16_t parse_port(std::string_view text) {
  const auto port = base::to_number<std::uint16_t>(text);
  if (!port || *port == 0) {
    refuse("the port '" + base::printable(text) +
           "' is not a number from 1 to 65535; a password "
           "with '@', ':' or '/' in it must be percent-encoded");
  }
  return *port;
}

void parse_host(Url& url, std::string_view text) {
  std::string_view port;
  bool has_port = false;
  if (text.starts_with('[')) {  // an IPv6 address
    const auto end = text.find(']');
    if (end == std::string_view::npos) refuse("the '[' of the host has no ']'");
    url.host = decoded(text.substr(1, end - 1), "host");
    port = text.substr(end + 1);
    has_port = port.starts_with(':');
    if (has_port) port.remove_prefix(1);
    if (!has_port && !port.empty())
      refuse("there is text between the ']' of the host and the port");
  } else {
    const auto colon = text.find(':');
    has_port = colon != std::string_view::npos;
    url.host = decoded(text.substr(0, colon), "host");
    if (has_port) port = text.substr(colon + 1);
  }
  if (has_port) url.port = parse_port(port);
}

void parse_parameters(Url& url, std::string_view text) {
  const std::span<const std::string_view> known =
      url.dialect == Dialect::postgresql ? std::span<const std::string_view>(postgresql_parameters)
                                         : std::span<const std::string_view>(mariadb_parameters);
  while (!text.empty()) {
    std::string_view value = base::take_until(text, '&');
    if (value.find('=') == std::string_view::npos) {
      refuse("the parameter '" + base::printable(value) + "' has no value; write name=value");
    }
    const std::string name = decoded(base::take_until(value, '='), "name of a parameter");
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string names;
      for (const std::string_view one : known) {
        if (!names.empty()) names += ", ";
        names += one;
      }
      refuse("there is no parameter '" + base::printable(name) + "' for " + to_string(url.dialect) +
             "; there are: " + names);
    }
    if (url.parameter(name) != nullptr) refuse("the parameter '" + name + "' is there twice");
    url.parameters.emplace_back(name, decoded(value, "value of a parameter"));
  }
}

Url parse_sqlite(std::string_view rest) {
  Url url;
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    if (!rest.starts_with('/')) {
      refuse("SQLite has no host; write sqlite:PATH, or sqlite:///PATH for one from the root");
    }
  }
  if (rest.find('?') != std::string_view::npos) {
    refuse("SQLite takes no parameters; a question mark in a path is written %3F");
  }
  url.database = decoded(rest, "path");
  if (url.database.empty()) refuse("there is no path; write sqlite:PATH or sqlite::memory:");
  return url;
}

Url parse_server(Dialect dialect, std::string_view rest) {
  Url url;
  url.dialect = dialect;
  const std::string scheme = to_string(dialect);
  if (!rest.starts_with("//")) {
    refuse("after '" + scheme + ":' there must be '//'; write " + scheme +
           "://user:password@host:port/database");
  }
  rest.remove_prefix(2);
  const auto query = rest.find('?');
  const std::string_view parameters =
      query == std::string_view::npos ? std::string_view() : rest.substr(query + 1);
  rest = rest.substr(0, query);
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos || slash + 1 == rest.size()) {
    refuse("the database is not named; write " + scheme + "://user:password@host:port/database");
  }
  if (rest.find('/', slash + 1) != std::string_view::npos) {
    refuse("there is more than one '/'; in a name or a password it is written %2F");
  }
  url.database = decoded(rest.substr(slash + 1), "name of the database");
  std::string_view authority = rest.substr(0, slash);
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    std::string_view password = authority.substr(0, at);
    if (password.find('@') != std::string_view::npos) {
      refuse("there is more than one '@'; in a name or a password it is written %40");
    }
    authority.remove_prefix(at + 1);
    url.user = decoded(base::take_until(password, ':'), "user");
    url.password = decoded(password, "password");
  }
  parse_host(url, authority);
  parse_parameters(url, parameters);
  const bool has_socket =
      url.parameter(dialect == Dialect::postgresql ? "host" : "socket") != nullptr;
  if (has_socket && !url.host.empty()) {
    refuse("there is a host and a Unix socket; leave one of the two out");
  }
  return url;
}

// What could be taken for structure, percent-encoded.
std::string encoded(std::string_view text, std::string_view plain = "") {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    const bool is_plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                          (byte >= 'A' && byte <= 'Z') ||
                          std::string_view("-._~").find(character) != std::string_view::npos ||
                          plain.find(character) != std::string_view::npos;
    if (is_plain) {
      result.push_back(character);
    } else {
      result.push_back('%');
      result.push_back(digits[byte / 16]);
      result.push_back(digits[byte % 16]);
    }
  }
  return result;
}

}  // namespace

const char* to_string(Dialect dialect) noexcept {
  switch (dialect) {
    case Dialect::sqlite:
      return "sqlite";
    case Dialect::postgresql:
      return "postgresql";
    case Dialect::mariadb:
      return "mariadb";
  }
  return "unknown";
}

Url Url::parse(std::string_view text) {
  const auto colon = text.find(':');
  const std::string_view scheme = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    const std::string_view rest = text.substr(colon + 1);
    if (scheme == "sqlite") return parse_sqlite(rest);
    if (scheme == "postgresql" || scheme == "postgres") {
      return parse_server(Dialect::postgresql, rest);
    }
    if (scheme == "mariadb" || scheme == "mysql") return parse_server(Dialect::mariadb, rest);
  }
  // What is no URL at all may be a secret in the wrong place: its length is all that is shown.
  refuse("it does not begin with sqlite:, postgresql:// or mariadb:// (it has " +
         std::to_string(text.size()) + " bytes)");
}

const std::string* Url::parameter(std::string_view name) const noexcept {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  return found == parameters.end() ? nullptr : &found->second;
}

std::string Url::redacted() const {
  std::string text = to_string(dialect);
  text += ':';
  if (dialect == Dialect::sqlite) return text + encoded(database, "/:");
  text += "//" + encoded(user);
  if (!password.empty()) text += ":***";
  if (!user.empty() || !password.empty()) text += '@';
  text += host.find(':') == std::string::npos ? encoded(host) : '[' + encoded(host, ":") + ']';
  if (port != 0) text += ':' + std::to_string(port);
  text += '/' + encoded(database);
  char separator = '?';
  for (const auto& [name, value] : parameters) {
    text += separator + encoded(name) + '=' + encoded(value, "/");
    separator = '&';
  }
  return text;
}

}  // namespace weft::sql
