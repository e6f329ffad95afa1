// SPDX-License-Identifier: Apache-2.0
// One line of a header or trailer section, read strictly.
#include "http/field_line.h"

#include "http/characters.h"

namespace weft::http {
namespace {

constexpr std::size_t longest_name = 256;

Progress fail(Refusal& refusal, std::uint16_t status, std::string_view reason) {
  refusal = {status, reason};
  return Progress::failed;
}

// `at` is where a control character was found.
Progress read_end(const char* begin, const char* at, const char* end, FieldLine& line,
                  Refusal& refusal) {
  if (at == end) return Progress::need_more;
  if (*at == '\n') return fail(refusal, 400, "a line ends in LF without CR");
  if (*at != '\r') return fail(refusal, 400, "a control character in a field value");
  if (at + 1 == end) return Progress::need_more;
  if (at[1] != '\n') return fail(refusal, 400, "CR without LF");
  line.size = static_cast<std::size_t>(at + 2 - begin);
  return Progress::complete;
}

}  // namespace

Progress read_field_line(std::string_view input, FieldLine& line, Refusal& refusal) noexcept {
  const char* const begin = input.data();
  const char* const end = begin + input.size();
  const char* at = begin;
  line.name = {};
  while (at != end && is_of(*at, token_class)) ++at;
  if (at - begin > static_cast<std::ptrdiff_t>(longest_name)) {
    return fail(refusal, 431, "a field name is too long");
  }
  if (at == end) return Progress::need_more;
  if (*at != ':') {
    if (at == begin && *at == '\r') return read_end(begin, at, end, line, refusal);
    if (*at == '\r' || *at == '\n') return fail(refusal, 400, "a field line without a colon");
    if (*at != ' ' && *at != '\t') return fail(refusal, 400, "a wrong character in a field name");
    return fail(refusal, 400,
                at == begin ? std::string_view("a folded or indented field line")
                            : std::string_view("white space before a colon"));
  }
  if (at == begin) return fail(refusal, 400, "a field without a name");
  const std::string_view name(begin, static_cast<std::size_t>(at - begin));
  ++at;
  while (at != end && (*at == ' ' || *at == '\t')) ++at;
  const char* value_end = find_control(at, end);
  const Progress progress = read_end(begin, value_end, end, line, refusal);
  if (progress != Progress::complete) return progress;
  while (value_end != at && (value_end[-1] == ' ' || value_end[-1] == '\t')) --value_end;
  line.name = name;
  line.value = {at, static_cast<std::size_t>(value_end - at)};
  return Progress::complete;
}

}  // namespace weft::http
