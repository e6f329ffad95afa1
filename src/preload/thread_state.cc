// SPDX-License-Identifier: Apache-2.0
// The two masks of a thread.
#include "preload/thread_state.h"

#include <sys/syscall.h>

#include "os/signal_mask.h"
#include "os/system_call.h"
#include "preload/alternate_stack.h"
#include "sched/thread.h"

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
  thread_state.stays_home = false;
  thread_state.told_too_late = 0;
  keep_alternate_stack();
  os::SignalMask block_all;
  block_all.keep();
}

SignalBits open_to_signals() noexcept {
  if (!thread_state.mask_is_ours) return 0;
  auto& signals = fiber::self().signals;
  give_alternate_stack_to_kernel();
  forget_told_too_late();
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
  // Who is wanted home for good goes when this call is over.
  auto& pending = fiber::self().signals.pending;
  const bool is_summoned = (pending.load(std::memory_order_seq_cst) & bit_of(os::own_signal)) != 0;
  if (is_summoned) summon_home(fiber::self());
}

void stay_home(const char* site) noexcept {
  const fiber::Fiber& self = fiber::self();
  if (!thread_state.mask_is_ours || !sched::counts_as_away(self)) return;
  sched::go_home(site);
  thread_state.stays_home = true;
  thread_state.mask_of_home = open_to_signals();
}

void leave_home_again() noexcept {
  thread_state.stays_home = false;
  close_to_signals(thread_state.mask_of_home);
  sched::leave_home();
}

void set_blocked(fiber::Fiber& self, SignalBits mask) noexcept {
  self.signals.blocked.store(mask, std::memory_order_seq_cst);
  if (thread_state.stays_home && self.is_home()) exchange_mask(mask);
}

SignalBits exchange_program_mask(SignalBits mask) noexcept {
  return fiber::self().signals.blocked.exchange(mask, std::memory_order_seq_cst);
}

}  // namespace weft::preload
