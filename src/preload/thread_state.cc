// SPDX-License-Identifier: Apache-2.0
// The two masks of a thread.
#include "preload/thread_state.h"

#include <sys/syscall.h>

#include "os/signal_mask.h"
#include "os/system_call.h"

namespace weft::preload {
namespace {

SignalBits exchange_mask(SignalBits mask) noexcept {
  SignalBits before = 0;
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &before, sizeof(mask));
  return before;
}

}  // namespace

SignalBits program_mask() noexcept {
  if (thread_state.mask_is_ours) return fiber::self().signals.blocked;
  SignalBits mask = 0;
  os::call(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &mask, sizeof(mask));
  return mask;
}

void keep_program_mask() noexcept {
  if (thread_state.mask_is_ours) return;
  fiber::self().signals.blocked = program_mask();
  thread_state.mask_is_ours = true;
  os::SignalMask block_all;
  block_all.keep();
}

SignalBits open_to_signals() noexcept {
  if (!thread_state.mask_is_ours) return 0;
  auto& signals = fiber::self().signals;
  // Pairs with send_to(): it sees this, or we see the signal.
  signals.open_to_kernel.store(true, std::memory_order_seq_cst);
  run_handlers();
  return exchange_mask(signals.blocked.load(std::memory_order_relaxed));
}

void close_to_signals(SignalBits before) noexcept {
  if (!thread_state.mask_is_ours) return;
  exchange_mask(before);
  fiber::self().signals.open_to_kernel.store(false, std::memory_order_seq_cst);
  run_handlers();  // which the kernel was told of too late
}

SignalBits exchange_program_mask(SignalBits mask) noexcept {
  return fiber::self().signals.blocked.exchange(mask, std::memory_order_seq_cst);
}

}  // namespace weft::preload
