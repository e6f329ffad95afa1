// SPDX-License-Identifier: Apache-2.0
// Values to and from MariaDB.
#pragma once

#include <mysql.h>

#include <cstddef>
#include <span>
#include <vector>

#include <weft/sql.h>

namespace weft::sql {

// Parameters as the client takes them. Points into the values.
std::vector<MYSQL_BIND> bindings_of(std::span<const Value> values);

// Room for one row of a result, whose largest values are known.
class MariadbRow {
 public:
  // Precondition: STMT_ATTR_UPDATE_MAX_LENGTH, and the result is stored.
  explicit MariadbRow(MYSQL_RES& description);
  std::span<MYSQL_BIND> bindings() noexcept { return bindings_; }
  // What was fetched into it.
  Row take() const;

 private:
  struct Column {
    std::vector<char> bytes;
    std::int64_t whole = 0;
    double real = 0;
    unsigned long length = 0;
    my_bool is_null = 0;
    bool is_blob = false;
  };
  Value value(std::size_t index) const;
  std::vector<Column> columns_;
  std::vector<MYSQL_BIND> bindings_;
};

}  // namespace weft::sql
