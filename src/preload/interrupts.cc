// SPDX-License-Identifier: Apache-2.0
// Cancellation, which is libc's and happens at home, and signals.
#include "preload/interrupts.h"

#include "preload/real.h"
#include "preload/signals.h"
#include "preload/thread_state.h"
#include "sched/interrupt.h"
#include "sched/thread.h"

namespace weft::preload {

void cancel_here() {
  fiber::self().interrupts.fetch_and(~Interrupt::cancel, std::memory_order_seq_cst);
  thread_state.cancel_pending = true;  // if it is disabled now
  const bool was_away = sched::counts_as_away(fiber::self());
  sched::go_home("cancellation");
  WEFT_REAL(pthread_testcancel)();
  if (was_away) sched::leave_home();
}

AfterInterrupt act_on_interrupts() {
  act_on_cancellation();
  std::uint32_t bits = 0;
  return act_on_signals(bits);
}

AfterInterrupt act_on_signals(std::uint32_t& bits) noexcept {
  bits = fiber::self().interrupts.fetch_and(Interrupt::cancel, std::memory_order_seq_cst);
  const Handled handlers = run_handlers();
  if (!handlers.goes_on || (bits & Interrupt::handled) != 0) return AfterInterrupt::fail;
  return handlers.any ? AfterInterrupt::restart : AfterInterrupt::again;
}

}  // namespace weft::preload
