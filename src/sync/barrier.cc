// SPDX-License-Identifier: Apache-2.0
// Waiting at a barrier.
#include "sync/barrier.h"

#include <cerrno>
#include <climits>
#include <mutex>
#include <new>

namespace weft::sync {

int Barrier::init(unsigned count) noexcept {
  if (count == 0 || count > UINT_MAX / 2) return EINVAL;  // the range of libc's
  new (this) Barrier;
  count_ = count;
  return 0;
}

int Barrier::destroy() noexcept {
  const std::lock_guard guard(lock_);
  return queue_.empty() ? 0 : EBUSY;
}

int Barrier::wait() noexcept {
  Waiter node;
  lock_.lock();
  if (arrived_ + 1 < count_) {
    ++arrived_;
    queue_.push_back(node);
    lock_.unlock();
    wait_for_outcome(node, fiber::ParkKind::barrier, this);
    return 0;
  }
  arrived_ = 0;
  Waiter* const others = queue_.detach();
  lock_.unlock();
  wake_chain(others, Waiter::granted);
  return PTHREAD_BARRIER_SERIAL_THREAD;
}

}  // namespace weft::sync
