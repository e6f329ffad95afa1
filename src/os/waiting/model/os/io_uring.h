// SPDX-License-Identifier: Apache-2.0
// IoUring in the `model` preset: a kernel that does not have it.
#pragma once

#include <linux/io_uring.h>

#include <asm/errno.h>
#include <cstdint>

namespace weft::os {

class IoUring {
 public:
  struct Completion {
    std::uint64_t data;
    std::int32_t result;
  };

  long open(unsigned, unsigned) noexcept { return -ENOSYS; }
  void close() noexcept {}
  int descriptor() const noexcept { return -1; }
  long submit(const io_uring_sqe&) noexcept { return -ENOSYS; }
  bool has_completions() const noexcept { return false; }
  bool take(Completion&) noexcept { return false; }
};

}  // namespace weft::os
