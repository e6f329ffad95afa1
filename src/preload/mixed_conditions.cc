// SPDX-License-Identifier: Apache-2.0
// Conditions with mutexes of another kind.
#include "preload/mixed_conditions.h"

#include <array>
#include <cstdint>

#include "sync/mutex.h"

namespace weft::preload {
namespace {

constinit std::array<pthread_mutex_t, 64> helpers{};  // of zeros, as PTHREAD_MUTEX_INITIALIZER is

sync::Mutex& helper_of(const sync::Condition& condition) {
  constexpr std::size_t condition_bytes = sizeof(pthread_cond_t);
  const auto number = reinterpret_cast<std::uintptr_t>(&condition) / condition_bytes;
  return sync::as_mutex(&helpers[number % helpers.size()]);
}

}  // namespace

constinit atomic<bool> conditions_are_mixed{false};

int wait_with_libcs_mutex(sync::Condition& condition, pthread_mutex_t* mutex,
                          const sync::Deadline& deadline) noexcept {
  sync::Mutex& helper = helper_of(condition);
  // Whoever takes the mutex after us sees this.
  conditions_are_mixed.store(true, std::memory_order_seq_cst);
  helper.lock();
  if (const int error = ::pthread_mutex_unlock(mutex)) {
    helper.unlock();
    return error;
  }
  const int waited = condition.wait_until(helper, deadline);
  helper.unlock();
  const int locked = ::pthread_mutex_lock(mutex);
  return locked != 0 ? locked : waited;
}

int signal_mixed(sync::Condition& condition) noexcept {
  sync::Mutex& helper = helper_of(condition);
  helper.lock();
  condition.signal();
  return helper.unlock();
}

int broadcast_mixed(sync::Condition& condition) noexcept {
  sync::Mutex& helper = helper_of(condition);
  helper.lock();
  condition.broadcast();
  return helper.unlock();
}

void forget_helpers() noexcept {
  helpers = {};
}

}  // namespace weft::preload
