// SPDX-License-Identifier: Apache-2.0
// One line on a terminal that says what is being measured, rewritten in place.
#pragma once

#include <string_view>

namespace weft::bench {

class Progress {
 public:
  // Writes to `descriptor` where that is a terminal, and nothing at all elsewhere.
  explicit Progress(int descriptor);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Replaces the line.
  void show(std::string_view text);
  // Takes the line away.
  void clear();

 private:
  int descriptor_;  // -1: not a terminal
};

}  // namespace weft::bench
