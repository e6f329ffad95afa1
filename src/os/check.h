// SPDX-License-Identifier: Apache-2.0
// check(): a broken invariant ends the process, in every build, with a constant text.
#pragma once

#include <sys/syscall.h>

#include <cstdlib>
#include <string_view>

#include "os/system_call.h"

namespace weft::os {

// Says why, without allocating, and aborts.
[[noreturn, gnu::noinline, gnu::cold]] inline void fail_check(std::string_view text) noexcept {
  call(SYS_write, 2, text.data(), text.size());
  call(SYS_write, 2, "\n", 1);
  std::abort();
}

inline void check(bool holds, std::string_view text) noexcept {
  if (!holds) [[unlikely]]
    fail_check(text);
}

}  // namespace weft::os
