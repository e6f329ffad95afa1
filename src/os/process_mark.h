// SPDX-License-Identifier: Apache-2.0
// ProcessMark: tells a process from the children that it forks, without a system call.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>

#include "os/memory.h"
#include "os/system_call.h"

namespace weft::os {

class ProcessMark {
 public:
  ProcessMark() noexcept : process_(call(SYS_getpid)), page_(map_memory(page_bytes)) {
    // A child finds zeros there, however it was made.
    if (page_ != nullptr && call(SYS_madvise, page_, page_bytes, MADV_WIPEONFORK) == 0) {
      *static_cast<volatile char*>(page_) = 1;
    } else {
      discard();
    }
  }
  ~ProcessMark() { discard(); }
  ProcessMark(const ProcessMark&) = delete;
  ProcessMark& operator=(const ProcessMark&) = delete;

  // Whether this is the process in which it was made.
  bool is_here() const noexcept {
    if (page_ == nullptr) return call(SYS_getpid) == process_;
    return *static_cast<const volatile char*>(page_) != 0;
  }

 private:
  static constexpr std::size_t page_bytes = 4096;

  void discard() noexcept {
    if (page_ != nullptr) call(SYS_munmap, page_, page_bytes);
    page_ = nullptr;
  }

  const long process_;
  void* page_;
};

}  // namespace weft::os
