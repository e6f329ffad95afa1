// SPDX-License-Identifier: Apache-2.0
// Values of a row, each as what the caller takes it for.
#include <weft/sql.h>

#include <array>
#include <string>

namespace weft::sql {
namespace {

template <class Type>
const Type& value_as(const Row& row, std::size_t column, const char* wanted) {
  constexpr std::array names = {"null", "an integer", "a double", "text", "a blob"};
  const Value& value = row.at(column);
  if (const Type* const found = std::get_if<Type>(&value)) return *found;
  throw Error(ErrorKind::misuse, "",
              "column " + std::to_string(column) + " of the row is " + names.at(value.index()) +
                  ", not " + wanted);
}

}  // namespace

const Value& Row::at(std::size_t column) const {
  if (column < values_.size()) return values_[column];
  throw Error(ErrorKind::misuse, "",
              "there is no column " + std::to_string(column) + " in a row of " +
                  std::to_string(values_.size()) + "; they are counted from 0");
}

bool Row::is_null(std::size_t column) const {
  return std::holds_alternative<std::monostate>(at(column));
}

std::int64_t Row::integer(std::size_t column) const {
  return value_as<std::int64_t>(*this, column, "an integer");
}

double Row::real(std::size_t column) const {
  if (const auto* const whole = std::get_if<std::int64_t>(&at(column))) {
    return static_cast<double>(*whole);
  }
  return value_as<double>(*this, column, "a double");
}

const std::string& Row::text(std::size_t column) const {
  return value_as<std::string>(*this, column, "text");
}

const Blob& Row::blob(std::size_t column) const {
  return value_as<Blob>(*this, column, "a blob");
}

}  // namespace weft::sql
