// SPDX-License-Identifier: Apache-2.0
// Fields by index and by name.
#include "http/request_head.h"

#include <algorithm>

#include "http/characters.h"

namespace weft::http {

void RequestHead::reset() noexcept {
  begin_ = nullptr;
  content_length_ = 0;
  size_ = parsed_ = fields_begin_ = repeated_ = 0;
  method_text_ = target_ = path_and_query_ = authority_ = {};
  method_ = Method::other;
  form_ = TargetForm::origin;
  version_ = Version::http_1_1;
  chunked_ = has_content_length_ = keep_alive_ = expects_continue_ = false;
  field_count_ = 0;
  first_ = {};
}

std::string_view RequestHead::name(std::size_t index) const noexcept {
  return {begin_ + fields_[index].name_at, fields_[index].name_size};
}

std::string_view RequestHead::value(std::size_t index) const noexcept {
  return {begin_ + fields_[index].value_at, fields_[index].value_size};
}

std::optional<std::string_view> RequestHead::find(KnownField field) const noexcept {
  const std::size_t first = first_[index_of(field)];
  if (first == 0) return std::nullopt;
  return value(first - 1);
}

std::optional<std::string_view> RequestHead::find(std::string_view wanted) const noexcept {
  for (std::size_t i = 0; i < field_count_; ++i) {
    const std::string_view candidate = name(i);
    const bool same = std::equal(candidate.begin(), candidate.end(), wanted.begin(), wanted.end(),
                                 [](char a, char b) { return to_lower(a) == to_lower(b); });
    if (same) return value(i);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> RequestHead::content_length() const noexcept {
  if (!has_content_length_) return std::nullopt;
  return content_length_;
}

}  // namespace weft::http
