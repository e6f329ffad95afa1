// SPDX-License-Identifier: Apache-2.0
// What the program has said of each signal (sigaction): kept here, as the kernel is given ours.
#pragma once

#include <csignal>

namespace weft::preload {

// As sigaction(2); the kernel's handler of what the program handles is on_signal().
int set_action(int signal, const struct sigaction* action, struct sigaction* before) noexcept;

// Precondition for all of these: is_signal().
struct sigaction action_of(int signal) noexcept;
// Whether the program has a handler for it.
bool has_handler(int signal) noexcept;
// There is no handler any more: the kernel has reset its own action, or has not.
void forget_handler(int signal) noexcept;
void reset_action(int signal) noexcept;

// What the kernel does to a process without a handler: it does it, here and now.
void take_default_action(int signal) noexcept;

// In the child of a fork nobody holds a lock.
void unlock_actions() noexcept;

inline bool is_function(const struct sigaction& action) noexcept {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

}  // namespace weft::preload
