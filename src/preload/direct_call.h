// SPDX-License-Identifier: Apache-2.0
// DirectCall: a system call that the program makes by syscall(), which is never a cancellation
// point.
#pragma once

#include "os/system_call.h"
#include "preload/calls.h"
#include "preload/interrupts.h"

namespace weft::preload {

// All functions answer a result or minus errno.
struct DirectCall {
  long number;
  long arguments[6];

  int integer(int index) const noexcept { return static_cast<int>(arguments[index]); }
  std::size_t size(int index) const noexcept { return static_cast<std::size_t>(arguments[index]); }
  template <class T>
  T* pointer(int index) const noexcept {
    return reinterpret_cast<T*>(arguments[index]);
  }

  // Where we are.
  long here() const noexcept {
    return os::call(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                    arguments[5]);
  }

  long at_home() const noexcept {
    return uncancelled_home_call("syscall", [this] { return here(); });
  }

  // As blocking_call(). Where the thread is to be cancelled every wait of a fiber ends at once, but
  // this call goes on, at home.
  template <class Ours>
  long waiting(Ours ours, Restarts restarts = Restarts::yes) const noexcept {
    if (!is_fiber()) return here();
    for (;;) {
      const long result = ours();
      if (result != -EINTR) return result;
      std::uint32_t bits = 0;
      const AfterInterrupt after = act_on_signals(bits);
      if (!goes_on(after, restarts)) return result;
      if (!is_fiber()) return here();  // it has come home for good
      if ((bits & Interrupt::cancel) != 0) return at_home();
    }
  }
};

// The futex call: what is private to the process is in the table of the engine.
long futex_call(const DirectCall& call) noexcept;

}  // namespace weft::preload
