// SPDX-License-Identifier: Apache-2.0
// Values to and from MariaDB, in its binary protocol.
#include "sql/mariadb_values.h"

#include <algorithm>
#include <string>
#include <utility>

namespace weft::sql {
namespace {

constexpr unsigned binary_character_set = 63;

struct Bind {
  MYSQL_BIND* binding;

  void operator()(std::monostate) const noexcept { binding->buffer_type = MYSQL_TYPE_NULL; }
  void operator()(const std::int64_t& value) const noexcept {
    point_to(MYSQL_TYPE_LONGLONG, &value, sizeof value);
  }
  void operator()(const double& value) const noexcept {
    point_to(MYSQL_TYPE_DOUBLE, &value, sizeof value);
  }
  void operator()(const std::string& value) const noexcept {
    point_to(MYSQL_TYPE_STRING, value.data(), value.size());
  }
  void operator()(const Blob& value) const noexcept {
    static constexpr char none = 0;
    point_to(MYSQL_TYPE_LONG_BLOB, value.empty() ? static_cast<const void*>(&none) : value.data(),
             value.size());
  }
  // The client reads only, though it takes a pointer to what could be written.
  void point_to(enum_field_types type, const void* data, std::size_t bytes) const noexcept {
    binding->buffer_type = type;
    binding->buffer = const_cast<void*>(data);
    binding->buffer_length = bytes;
    binding->length = &binding->buffer_length;
  }
};

bool is_integer(enum_field_types type) noexcept {
  switch (type) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_YEAR:
      return true;
    default:
      return false;
  }
}

bool is_bytes(const MYSQL_FIELD& field) noexcept {
  switch (field.type) {
    case MYSQL_TYPE_BIT:
    case MYSQL_TYPE_GEOMETRY:
      return true;
    case MYSQL_TYPE_TINY_BLOB:
    case MYSQL_TYPE_BLOB:
    case MYSQL_TYPE_MEDIUM_BLOB:
    case MYSQL_TYPE_LONG_BLOB:
    case MYSQL_TYPE_STRING:
    case MYSQL_TYPE_VAR_STRING:
    case MYSQL_TYPE_VARCHAR:
      return field.charsetnr == binary_character_set;
    default:
      return false;  // decimals and times come as text
  }
}

bool is_beyond_64_bits(const MYSQL_FIELD& field) noexcept {
  return field.type == MYSQL_TYPE_LONGLONG && (field.flags & UNSIGNED_FLAG) != 0;
}

}  // namespace

std::vector<MYSQL_BIND> bindings_of(std::span<const Value> values) {
  std::vector<MYSQL_BIND> bindings(values.size());
  for (std::size_t index = 0; index < values.size(); ++index) {
    std::visit(Bind{&bindings[index]}, values[index]);
  }
  return bindings;
}

MariadbRow::MariadbRow(MYSQL_RES& description)
    : columns_(mysql_num_fields(&description)), bindings_(columns_.size()) {
  for (std::size_t index = 0; index < columns_.size(); ++index) {
    const MYSQL_FIELD& field =
        *mysql_fetch_field_direct(&description, static_cast<unsigned>(index));
    Column& column = columns_[index];
    MYSQL_BIND& binding = bindings_[index];
    binding.is_null = &column.is_null;
    binding.length = &column.length;
    if (is_integer(field.type) && !is_beyond_64_bits(field)) {
      binding.buffer_type = MYSQL_TYPE_LONGLONG;
      binding.buffer = &column.whole;
    } else if (field.type == MYSQL_TYPE_FLOAT || field.type == MYSQL_TYPE_DOUBLE) {
      binding.buffer_type = MYSQL_TYPE_DOUBLE;
      binding.buffer = &column.real;
    } else {
      column.is_blob = is_bytes(field);
      // Numbers that are read as text say less about their length than they should.
      constexpr std::size_t longest_number = 128;
      column.bytes.resize(std::max<std::size_t>(field.max_length, longest_number));
      binding.buffer_type = column.is_blob ? MYSQL_TYPE_BLOB : MYSQL_TYPE_STRING;
      binding.buffer = column.bytes.data();
      binding.buffer_length = column.bytes.size();
    }
  }
}

Value MariadbRow::value(std::size_t index) const {
  const Column& column = columns_[index];
  if (column.is_null != 0) return std::monostate();
  switch (bindings_[index].buffer_type) {
    case MYSQL_TYPE_LONGLONG:
      return column.whole;
    case MYSQL_TYPE_DOUBLE:
      return column.real;
    default:
      break;
  }
  const std::size_t bytes = std::min<std::size_t>(column.length, column.bytes.size());
  if (!column.is_blob) return std::string(column.bytes.data(), bytes);
  const auto* const first = reinterpret_cast<const std::byte*>(column.bytes.data());
  return Blob(first, first + bytes);
}

Row MariadbRow::take() const {
  std::vector<Value> values;
  values.reserve(columns_.size());
  for (std::size_t index = 0; index < columns_.size(); ++index) values.push_back(value(index));
  return Row(std::move(values));
}

}  // namespace weft::sql
