// SPDX-License-Identifier: Apache-2.0
// The fork handlers: ours is the last before a fork, and the first after it.
#include "preload/forking.h"

#include <pthread.h>
#include <sys/syscall.h>

#include "fiber/table.h"
#include "os/own_descriptors.h"
#include "os/system_call.h"
#include "preload/calls.h"
#include "preload/mixed_conditions.h"
#include "preload/process.h"
#include "preload/real.h"
#include "preload/signals.h"
#include "preload/thread_state.h"
#include "sched/poller.h"
#include "sync/generation.h"

namespace weft::preload {
namespace {

void before_fork() {
  fiber::lock_table();
  sched::Poller::lock_all();
  os::OwnDescriptor::lock_all();
}

void after_fork_in_parent() {
  os::OwnDescriptor::unlock_all();
  sched::Poller::unlock_all();
  fiber::unlock_table();
}

void after_fork_in_child() {
  os::OwnDescriptor::close_all_in_child();
  os::OwnDescriptor::unlock_all();
  sched::Poller::unlock_all();
  fiber::unlock_table();
  sync::after_fork_in_child();
  forget_helpers();
  forget_runtime();
  forget_signals();
  if (fiber::Fiber* const self = fiber::this_fiber) {
    self->id = static_cast<std::uint32_t>(os::call(SYS_gettid));
    self->runtime = nullptr;
    self->interrupts = 0;
    self->signals.pending = 0;
    self->signals.open_to_kernel = false;
  }
  if (thread_state.mask_is_ours) {
    // The one thread that there is has the program's mask from now on.
    const SignalBits mask = fiber::self().signals.blocked;
    os::call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof(mask));
    thread_state.mask_is_ours = false;
  }
}

}  // namespace

void register_fork_handlers() noexcept {
  ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

pid_t fork_without_handlers() noexcept {
  return uncancelled_home_call("fork", [] {
    before_fork();
    const pid_t child = WEFT_REAL(_Fork)();
    if (child == 0) {
      after_fork_in_child();
    } else {
      after_fork_in_parent();
    }
    return child;
  });
}

}  // namespace weft::preload
