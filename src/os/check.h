// SPDX-License-Identifier: Apache-2.0
// check(): a broken invariant ends the process, in every build, with a constant text.
#pragma once

#include <sys/syscall.h>
#include <sys/uio.h>

#include <cstdlib>
#include <iterator>
#include <string_view>

#include "os/system_call.h"

namespace weft::os {

// Says why, without allocating, and aborts. In one write: other threads may fail at the same time.
[[noreturn, gnu::noinline, gnu::cold]] inline void fail_check(std::string_view text) noexcept {
  char end_of_line = '\n';
  const iovec line[] = {{const_cast<char*>(text.data()), text.size()}, {&end_of_line, 1}};
  call(SYS_writev, 2, line, std::size(line));
  std::abort();
}

inline void check(bool holds, std::string_view text) noexcept {
  if (!holds) [[unlikely]]
    fail_check(text);
}

}  // namespace weft::os
