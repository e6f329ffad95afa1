// SPDX-License-Identifier: Apache-2.0
// Cuts a text into pieces as its first bytes say, so that the fuzzer can look for a cut that
// matters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace weft::fuzz {

class Pieces {
 public:
  // The first eight bytes of `text` are the cuts, and the rest is what is cut.
  explicit Pieces(std::string_view text)
      : cuts_(text.substr(0, 8)), rest_(text.substr(cuts_.size())) {}

  std::string_view whole() const { return rest_; }
  unsigned choice() const { return cuts_.empty() ? 0 : static_cast<unsigned char>(cuts_[0]); }
  // Calls with ever more of the text, the last time with all of it, until the call says false.
  template <class Call>
  void for_each_prefix(Call call) const {
    std::size_t end = 0;
    for (std::size_t i = 0; end < rest_.size(); ++i) {
      const auto cut = static_cast<unsigned char>(cuts_[i % cuts_.size()]);
      end = std::min<std::size_t>(end + 1 + cut % 64, rest_.size());
      if (!call(rest_.substr(0, end))) return;
    }
  }

 private:
  std::string_view cuts_;
  std::string_view rest_;
};

}  // namespace weft::fuzz
