// SPDX-License-Identifier: Apache-2.0
// The table of actions.
#include "preload/signal_actions.h"

#include <sys/syscall.h>

#include <mutex>

#include "os/signal_mask.h"
#include "os/spin_lock.h"
#include "os/system_call.h"
#include "preload/real.h"
#include "preload/signals.h"

namespace weft::preload {
namespace {

constexpr int signals = 64;

struct Action {
  struct sigaction action {};  // guarded by lock, as known
  os::SpinLock lock;
  bool known = false;  // otherwise the kernel has it
};
constinit Action actions[signals + 1];

}  // namespace

struct sigaction action_of(int signal) noexcept {
  const os::SignalMask undisturbed;
  const std::scoped_lock guard(actions[signal].lock);
  return actions[signal].action;
}

bool has_handler(int signal) noexcept {
  return is_function(action_of(signal));
}

void forget_handler(int signal) noexcept {
  const os::SignalMask undisturbed;
  const std::scoped_lock guard(actions[signal].lock);
  actions[signal].action.sa_handler = SIG_DFL;
}

void reset_action(int signal) noexcept {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  set_action(signal, &action, nullptr);
}

int set_action(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
  if (!is_signal(signal)) return WEFT_REAL(sigaction)(signal, action, before);
  struct sigaction theirs {};
  if (action != nullptr) {
    theirs = *action;
    if (is_function(*action)) {
      theirs.sa_sigaction = on_signal;
      theirs.sa_flags |= SA_SIGINFO;
    }
  }
  const os::SignalMask undisturbed;
  const std::scoped_lock guard(actions[signal].lock);
  struct sigaction kernels {};
  if (WEFT_REAL(sigaction)(signal, action == nullptr ? nullptr : &theirs, &kernels) != 0) return -1;
  const struct sigaction known = actions[signal].known ? actions[signal].action : kernels;
  if (action != nullptr) {
    actions[signal].action = *action;
    actions[signal].known = true;
  }
  if (before != nullptr) *before = known;
  return 0;
}

void take_default_action(int signal) noexcept {
  const SignalBits bit = bit_of(signal);
  SignalBits before = 0;
  os::call(SYS_tgkill, os::call(SYS_getpid), os::call(SYS_gettid), signal);
  os::call(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, &before, sizeof(bit));
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof(before));
}

void unlock_actions() noexcept {
  for (Action& action : actions) action.lock.unlock();
}

}  // namespace weft::preload
