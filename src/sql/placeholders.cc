// SPDX-License-Identifier: Apache-2.0
// From `?` to `$1`: a scanner that knows where PostgreSQL reads a text as something else than code.
#include <algorithm>
#include <string>

#include "sql/text.h"

namespace weft::sql {
namespace {

bool is_name(char character) noexcept {
  const auto byte = static_cast<unsigned char>(character);
  return byte >= 0x80 || byte == '_' || byte == '$' || (byte >= '0' && byte <= '9') ||
         (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

// Each answers where the thing that begins at `start` ends; one that does not end, at the end.

// A mark in it is written twice; with backslashes, it can also follow one of these.
std::size_t end_of_quoted(std::string_view text, std::size_t start, bool has_backslashes) {
  const char mark = text[start];
  for (std::size_t index = start + 1; index < text.size(); ++index) {
    if (has_backslashes && text[index] == '\\') {
      ++index;
    } else if (text[index] == mark) {
      if (index + 1 == text.size() || text[index + 1] != mark) return index + 1;
      ++index;
    }
  }
  return text.size();
}

std::size_t end_of_comment(std::string_view text, std::size_t start) {
  std::size_t depth = 0;
  for (std::size_t index = start; index + 1 < text.size(); ++index) {
    const std::string_view two = text.substr(index, 2);
    if (two == "/*") {
      ++depth;
      ++index;
    } else if (two == "*/") {
      ++index;
      if (--depth == 0) return index + 1;
    }
  }
  return text.size();
}

// $tag$ … $tag$; what is no such string ends after its first character.
std::size_t end_of_dollars(std::string_view text, std::size_t start) {
  const std::size_t second = text.find('$', start + 1);
  if (second == std::string_view::npos) return start + 1;
  const std::string_view tag = text.substr(start + 1, second - start - 1);
  const bool is_tag = std::all_of(tag.begin(), tag.end(), is_name) &&
                      (tag.empty() || tag.front() < '0' || tag.front() > '9');
  if (!is_tag) return start + 1;
  const std::string_view mark = text.substr(start, second - start + 1);
  const std::size_t end = text.find(mark, second + 1);
  return end == std::string_view::npos ? text.size() : end + mark.size();
}

// The end of what is not code, or `start` where it is.
std::size_t end_of_other(std::string_view text, std::size_t start) {
  const char character = text[start];
  const bool is_after_name = start > 0 && is_name(text[start - 1]);
  if (character == '\'') {
    const bool is_escaped = is_after_name && (text[start - 1] == 'E' || text[start - 1] == 'e') &&
                            (start < 2 || !is_name(text[start - 2]));
    return end_of_quoted(text, start, is_escaped);
  }
  if (character == '"') return end_of_quoted(text, start, false);
  if (character == '$' && !is_after_name) return end_of_dollars(text, start);
  if (text.substr(start, 2) == "--") return std::min(text.size(), text.find('\n', start));
  if (text.substr(start, 2) == "/*") return end_of_comment(text, start);
  return start;
}

}  // namespace

Numbered with_numbered_placeholders(std::string_view statement) {
  Numbered result;
  result.statement.reserve(statement.size() + 16);
  for (std::size_t index = 0; index < statement.size();) {
    if (const std::size_t end = end_of_other(statement, index); end > index) {
      result.statement += statement.substr(index, end - index);
      index = end;
    } else if (statement[index] == '?') {
      result.statement += '$' + std::to_string(++result.placeholders);
      ++index;
    } else {
      result.statement += statement[index++];
    }
  }
  return result;
}

}  // namespace weft::sql
