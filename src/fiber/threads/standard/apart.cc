// SPDX-License-Identifier: Apache-2.0
// The thread, and its table.
#include "fiber/apart.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include <climits>

#include "fiber/libc.h"
#include "os/futex.h"
#include "os/system_call.h"

namespace weft::fiber {

Apart::~Apart() {
  const std::uint32_t state = state_.load(std::memory_order_acquire);
  if (state == unborn) return;
  if (state == idle) {
    function_ = nullptr;
    state_.store(busy, std::memory_order_release);
    os::futex_wake(state_);
  }
  libc().join(thread_, nullptr);
}

void Apart::call(void (*function)(void*), void* argument) noexcept {
  if (state_.load(std::memory_order_relaxed) == unborn) begin();
  if (state_.load(std::memory_order_relaxed) != idle) return function(argument);
  function_ = function;
  argument_ = argument;
  state_.store(busy, std::memory_order_release);
  os::futex_wake(state_);
  wait_while_busy();
}

// Only when it is first needed: most programs have no use for it.
void Apart::begin() noexcept {
  state_.store(busy, std::memory_order_relaxed);
  if (create_undisturbed(thread_, main, this) == 0) return wait_while_busy();
  state_.store(unborn, std::memory_order_relaxed);  // perhaps the next time
}

void Apart::wait_while_busy() noexcept {
  while (state_.load(std::memory_order_acquire) == busy) os::futex_wait(state_, busy);
}

void* Apart::main(void* self) {
  static_cast<Apart*>(self)->serve();
  return nullptr;
}

void Apart::serve() noexcept {
  constexpr unsigned with_a_table_of_its_own = 2;  // CLOSE_RANGE_UNSHARE
  os::call(SYS_prctl, PR_SET_NAME, "weft-reader");
  const bool is_apart = os::call(SYS_close_range, 0U, UINT_MAX, with_a_table_of_its_own) == 0;
  do {
    state_.store(is_apart ? idle : gone, std::memory_order_release);
    os::futex_wake(state_);
    if (!is_apart) return;
    while (state_.load(std::memory_order_acquire) == idle) os::futex_wait(state_, idle);
    if (function_ != nullptr) function_(argument_);
  } while (function_ != nullptr);
}

}  // namespace weft::fiber
