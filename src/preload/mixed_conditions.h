// SPDX-License-Identifier: Apache-2.0
// Our conditions with mutexes of libc's (robust, shared, with a priority protocol), which cannot be
// released and the condition waited for in one step.
//
// A helper, which is a mutex of ours, stands between: the waiter holds it from before it releases
// the program's mutex until it is on the condition. Once anybody has waited so, those who signal
// take it as well: whoever has taken the mutex after the waiter released it then finds the waiter
// on the condition.
#pragma once

#include <pthread.h>

#include "base/atomic.h"
#include "sync/condition.h"
#include "sync/deadline.h"

namespace weft::preload {

// As Condition::wait_until(). What it answers may also be that of the mutex, which is then locked
// as that says (EOWNERDEAD).
int wait_with_libcs_mutex(sync::Condition& condition, pthread_mutex_t* mutex,
                          const sync::Deadline& deadline) noexcept;

// Whether anybody has ever done that.
extern constinit atomic<bool> conditions_are_mixed;

int signal_mixed(sync::Condition& condition) noexcept;
int broadcast_mixed(sync::Condition& condition) noexcept;

// In the child of a fork nobody holds a helper.
void forget_helpers() noexcept;

}  // namespace weft::preload
