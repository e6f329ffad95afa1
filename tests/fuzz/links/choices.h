// SPDX-License-Identifier: Apache-2.0
// Choices: the fuzzer's bytes as decisions, one after another. Whoever has none left decides 0,
// which is always the plainest thing, so that every text of bytes means something.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace weft::fuzz {

class Choices {
 public:
  explicit Choices(std::string_view bytes) noexcept : rest_(bytes) {}

  bool is_empty() const noexcept { return rest_.empty(); }
  unsigned byte() noexcept {
    if (rest_.empty()) return 0;
    const auto value = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  // From 0 up to, and without, `number`.
  unsigned below(unsigned number) noexcept { return byte() % number; }
  bool one_in(unsigned number) noexcept { return byte() % number == number - 1; }
  // Some bytes as they are, no more than 255 of them.
  std::string_view literal() noexcept {
    const std::size_t wanted = byte();
    const std::size_t bytes = std::min(wanted, rest_.size());
    const std::string_view text = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return text;
  }
  std::string_view rest() noexcept {
    const std::string_view all = rest_;
    rest_ = {};
    return all;
  }
  // One of a table.
  template <class Table>
  const auto& of(const Table& table) noexcept {
    return table[byte() % std::size(table)];
  }

 private:
  std::string_view rest_;
};

}  // namespace weft::fuzz
