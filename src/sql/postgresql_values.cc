// SPDX-License-Identifier: Apache-2.0
// Values to and from PostgreSQL: parameters in text form, blobs in binary; results in text form.
#include "sql/postgresql_values.h"

#include <array>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace weft::sql {
namespace {

// From the server's catalogue pg_type, where they never change.
constexpr Oid bool_type = 16;
constexpr Oid bytea_type = 17;
constexpr Oid int8_type = 20;
constexpr Oid int2_type = 21;
constexpr Oid int4_type = 23;
constexpr Oid oid_type = 26;
constexpr Oid float4_type = 700;
constexpr Oid float8_type = 701;

struct Kind {
  Oid type;
  char letter;
};
// In the order of Value's alternatives.
constexpr std::array<Kind, 5> kinds{
    {{0, 'n'}, {int8_type, 'i'}, {float8_type, 'd'}, {0, 't'}, {bytea_type, 'b'}}};

int length_of(std::size_t bytes) {
  if (bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return static_cast<int>(bytes);
  }
  throw Error(ErrorKind::misuse, "", "a parameter is larger than 2 GiB");
}

std::string text_of(double number) {
  // The shortest form that reads back as the same, and the words that PostgreSQL has for the rest.
  if (number != number) return "NaN";
  if (number == std::numeric_limits<double>::infinity()) return "Infinity";
  if (number == -std::numeric_limits<double>::infinity()) return "-Infinity";
  std::array<char, 32> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), written.ptr};
}

// What is no number after all stays the text it is.
Value real_of(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::string(text);
  return number;
}

Value integer_of(std::string_view text) {
  if (const auto number = base::to_number<std::int64_t>(text)) return *number;
  return std::string(text);
}

Blob blob_of(std::string_view text) {
  // \x and two digits for each byte: what servers have sent since 9.0.
  Blob bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t index = 2; index + 1 < text.size(); index += 2) {
    std::uint8_t byte = 0;
    std::from_chars(text.data() + index, text.data() + index + 2, byte, 16);
    bytes.push_back(std::byte{byte});
  }
  return bytes;
}

}  // namespace

PostgresqlParameters::PostgresqlParameters(std::span<const Value> values) : numbers(values.size()) {
  for (std::size_t index = 0; index < values.size(); ++index) {
    std::string_view bytes;
    bool is_binary = false;
    if (const auto* const whole = std::get_if<std::int64_t>(&values[index])) {
      bytes = numbers[index] = std::to_string(*whole);
    } else if (const auto* const real = std::get_if<double>(&values[index])) {
      bytes = numbers[index] = text_of(*real);
    } else if (const auto* const text = std::get_if<std::string>(&values[index])) {
      bytes = *text;
    } else if (const auto* const blob = std::get_if<Blob>(&values[index])) {
      is_binary = true;
      // An empty blob is not null, which a null pointer would be.
      bytes = blob->empty()
                  ? std::string_view(numbers[index])
                  : std::string_view(reinterpret_cast<const char*>(blob->data()), blob->size());
    }
    pointers.push_back(bytes.data());
    lengths.push_back(length_of(bytes.size()));
    formats.push_back(is_binary ? 1 : 0);
  }
}

std::vector<Oid> types_of(std::span<const Value> values) {
  std::vector<Oid> types;
  types.reserve(values.size());
  for (const Value& value : values) types.push_back(kinds.at(value.index()).type);
  return types;
}

std::string signature_of(std::span<const Value> values) {
  std::string letters;
  letters.reserve(values.size());
  for (const Value& value : values) letters.push_back(kinds.at(value.index()).letter);
  return letters;
}

Value value_of(Oid type, std::string_view text) {
  switch (type) {
    case bool_type:
      return std::int64_t{text == "t" ? 1 : 0};
    case int2_type:
    case int4_type:
    case int8_type:
    case oid_type:
      return integer_of(text);
    case float4_type:
    case float8_type:
      return real_of(text);
    case bytea_type:
      return blob_of(text);
    default:
      return std::string(text);
  }
}

Rows rows_of(const PGresult& result) {
  Rows rows;
  const int columns = PQnfields(&result);
  for (int column = 0; column < columns; ++column) {
    rows.columns.emplace_back(PQfname(&result, column));
  }
  const int count = PQntuples(&result);
  rows.rows.reserve(static_cast<std::size_t>(count));
  for (int row = 0; row < count; ++row) {
    std::vector<Value> values;
    values.reserve(static_cast<std::size_t>(columns));
    for (int column = 0; column < columns; ++column) {
      if (PQgetisnull(&result, row, column) != 0) {
        values.emplace_back(std::monostate());
      } else {
        values.push_back(value_of(PQftype(&result, column),
                                  {PQgetvalue(&result, row, column),
                                   static_cast<std::size_t>(PQgetlength(&result, row, column))}));
      }
    }
    rows.rows.emplace_back(std::move(values));
  }
  // A SELECT has a count, too, of the rows that it gave.
  const std::string_view done = PQcmdStatus(const_cast<PGresult*>(&result));
  if (!done.starts_with("SELECT") && !done.starts_with("FETCH")) {
    rows.affected =
        base::to_number<std::uint64_t>(PQcmdTuples(const_cast<PGresult*>(&result))).value_or(0);
  }
  return rows;
}

}  // namespace weft::sql
