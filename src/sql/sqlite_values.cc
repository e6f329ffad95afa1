// SPDX-License-Identifier: Apache-2.0
// Values to and from SQLite.
#include "sql/sqlite_values.h"

#include <cstring>
#include <string>
#include <utility>

namespace weft::sql {
namespace {

struct Bind {
  sqlite3_stmt* statement;
  int index;

  int operator()(std::monostate) const noexcept { return sqlite3_bind_null(statement, index); }
  int operator()(std::int64_t value) const noexcept {
    return sqlite3_bind_int64(statement, index, value);
  }
  int operator()(double value) const noexcept {
    return sqlite3_bind_double(statement, index, value);
  }
  int operator()(const std::string& value) const noexcept {
    return sqlite3_bind_text64(statement, index, value.data(), value.size(), SQLITE_STATIC,
                               SQLITE_UTF8);
  }
  int operator()(const Blob& value) const noexcept {
    // A null pointer would be NULL, and an empty blob is not.
    if (value.empty()) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob64(statement, index, value.data(), value.size(), SQLITE_STATIC);
  }
};

Value value_of(sqlite3_stmt& statement, int column) {
  switch (sqlite3_column_type(&statement, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(&statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(&statement, column);
    case SQLITE_TEXT: {
      const auto* const text =
          reinterpret_cast<const char*>(sqlite3_column_text(&statement, column));
      return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(&statement, column)));
    }
    case SQLITE_BLOB: {
      const auto* const bytes =
          static_cast<const std::byte*>(sqlite3_column_blob(&statement, column));
      return Blob(bytes, bytes + sqlite3_column_bytes(&statement, column));
    }
    default:
      return std::monostate();
  }
}

}  // namespace

int bind(sqlite3_stmt& statement, int index, const Value& value) {
  return std::visit(Bind{&statement, index}, value);
}

Row row_of(sqlite3_stmt& statement, int columns) {
  std::vector<Value> values;
  values.reserve(static_cast<std::size_t>(columns));
  for (int column = 0; column < columns; ++column) {
    values.push_back(value_of(statement, column));
  }
  return Row(std::move(values));
}

}  // namespace weft::sql
