// SPDX-License-Identifier: Apache-2.0
// Values to and from PostgreSQL.
#pragma once

#include <libpq-fe.h>

#include <span>
#include <string>
#include <vector>

#include <weft/sql.h>

namespace weft::sql {

// Parameters as libpq takes them. Points into the values.
struct PostgresqlParameters {
  explicit PostgresqlParameters(std::span<const Value> values);

  std::vector<std::string> numbers;
  std::vector<const char*> pointers;
  std::vector<int> lengths;
  std::vector<int> formats;
};

// One of each value; 0 where the server is to find out.
std::vector<Oid> types_of(std::span<const Value> values);
// A letter for each.
std::string signature_of(std::span<const Value> values);

// What the server sent in its text form.
Value value_of(Oid type, std::string_view text);

Rows rows_of(const PGresult& result);

}  // namespace weft::sql
