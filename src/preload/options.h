// SPDX-License-Identifier: Apache-2.0
// What the launcher, or whoever set the environment, wants of this process.
#pragma once

#include <cstdint>

namespace weft::preload {

// Which programs that this process executes are run under weft, too.
enum class Children : std::uint8_t { none, same, all };

struct Options {
  std::uint32_t workers = 0;  // 0: as many as the CPU budget says, and as it changes
  bool statistics = false;
  bool verbose = false;
  bool host_cpus = false;  // the program sees the CPUs of the host
  Children children = Children::same;
  char keep_native[512] = {};  // patterns, by colons
  char report[512] = {};       // a file; none: the standard error
  char library[512] = {};      // where this library is, as LD_PRELOAD named it
};

// Read from the environment the first time.
const Options& options() noexcept;

// Takes our own variables out of the environment, so that the program and its children have what
// they would have natively.
void clean_environment() noexcept;

}  // namespace weft::preload
