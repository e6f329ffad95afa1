// SPDX-License-Identifier: Apache-2.0
// Barrier: what is in the bytes of a pthread_barrier_t.
//
// The last one to come takes the others off, makes the barrier as new, lets go of its lock, and
// only then wakes them. So the next round may begin at once, and who has returned may destroy the
// barrier: nobody who is still inside touches it.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "os/spin_lock.h"
#include "sync/waiter.h"

namespace weft::sync {

class Barrier {
 public:
  // Functions answer 0, or an errno value as the pthread function of the name does.
  int init(unsigned count) noexcept;
  int destroy() noexcept;

  // False: process-shared. Such a barrier is libc's, and nothing else here may be called.
  bool is_ours() const noexcept { return shared_ == 0; }

  // Waits until `count` threads do. PTHREAD_BARRIER_SERIAL_THREAD for one of them, and 0.
  int wait() noexcept;

 private:
  friend struct BarrierLayout;

  os::SpinLock lock_;
  std::uint32_t arrived_ = 0;  // guarded by lock_
  std::uint32_t count_ = 0;    // constant
  int shared_ = 0;             // constant; where libc has it
  WaitQueue queue_;            // guarded by lock_
};

struct BarrierLayout {
  static_assert(sizeof(Barrier) == sizeof(pthread_barrier_t));
  static_assert(alignof(Barrier) <= alignof(pthread_barrier_t));
  static_assert(offsetof(Barrier, shared_) == 12);  // libc's type does not say
};

inline Barrier& as_barrier(pthread_barrier_t* object) noexcept {
  return *reinterpret_cast<Barrier*>(object);
}

}  // namespace weft::sync
