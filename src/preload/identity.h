// SPDX-License-Identifier: Apache-2.0
// A thread whose identity is its own, not the process's.
//
// The kernel keeps users, capabilities, filters of system calls and namespaces for each thread, and
// some programs give a thread its own. Its carriers have those of the process: from then on the
// thread stays at home, where the kernel knows it.
#pragma once

#include "preload/calls.h"
#include "preload/thread_state.h"

namespace weft::preload {

inline void keep_own_identity() noexcept {
  if (is_fiber()) stay_home("own identity");
}

// Whether this call, made directly, or this option of prctl(), is about such an identity.
bool is_about_identity(long system_call) noexcept;
bool is_about_identity(int prctl_option) noexcept;

}  // namespace weft::preload
