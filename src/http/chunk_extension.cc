// SPDX-License-Identifier: Apache-2.0
// Chunk extensions: passed over, but only where they are well formed.
#include "http/chunk_extension.h"

#include "http/characters.h"

namespace weft::http {
namespace {

Progress pass_token(std::string_view line, std::size_t& at) {
  const std::size_t begin = at;
  while (at < line.size() && is_of(line[at], token_class)) ++at;
  if (at == line.size()) return Progress::need_more;
  return at == begin ? Progress::failed : Progress::complete;
}

bool is_text(char byte) {
  return byte == '\t' || (static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f);
}

// `at` is behind the opening quote.
Progress pass_quoted(std::string_view line, std::size_t& at) {
  for (; at < line.size(); ++at) {
    if (line[at] == '"') {
      ++at;
      return Progress::complete;
    }
    if (line[at] == '\\' && ++at == line.size()) return Progress::need_more;
    if (!is_text(line[at])) return Progress::failed;
  }
  return Progress::need_more;
}

Progress pass_value(std::string_view line, std::size_t& at) {
  if (at == line.size()) return Progress::need_more;
  if (line[at] != '"') return pass_token(line, at);
  ++at;
  return pass_quoted(line, at);
}

}  // namespace

Progress pass_chunk_extensions(std::string_view line, std::size_t& at) noexcept {
  while (at < line.size() && line[at] == ';') {
    ++at;
    Progress progress = pass_token(line, at);
    if (progress == Progress::complete && line[at] == '=') {
      ++at;
      progress = pass_value(line, at);
    }
    if (progress != Progress::complete) return progress;
  }
  return at == line.size() ? Progress::need_more : Progress::complete;
}

}  // namespace weft::http
