// SPDX-License-Identifier: Apache-2.0
// FileRing: what a fiber wants of a file, done by the kernel while the carrier runs others.
//
// One io_uring for each runtime, made when a fiber first has to wait for a file. The kernel's word
// that something is done comes through the poller's epoll, so that idle workers sleep in one place.
//
//   unknown  --first use: the kernel gives a ring-->                     usable
//   unknown  --first use: it does not (old, filtered, no memory)-->      refused
//   usable   --a submission fails for good (a filter since, closed)-->   lost
// Refused and lost stay so; whoever is told does the call at home, as without a ring.
//
// Who submits: any fiber that is away, under submit_lock_, a request at a time, and the kernel
// takes it in that call: the queue of submissions is empty whenever the lock is free. That call
// does not wait for the file, but may take as long as a read from the cache. Who reaps: whoever has
// been in the poller, after each look into it; under reap_lock_, some at a time. They are unparked
// when the lock is free again. The request is on the waiting fiber's stack, as its buffers may be:
// so it waits until the kernel is done, whatever happens meanwhile. Interrupts and cancellation are
// acted on after that, as in a native thread that waits for a disk.
//
// Invariants
//   - No more requests are under way than there are places for completions: none is ever dropped,
//     nor kept back by the kernel. Who comes when all are taken goes home.
//   - Every completion is followed by an edge in epoll, and every wait in epoll by reap(). It
//     looks until there is nothing, and does not leave it to another.
//   - A descriptor that is closed meanwhile: the kernel has the file, and goes on with it, as in a
//     native thread. The ring's own descriptor may be closed by a program that closes all there
//     are; then a submission fails, and what is under way still ends, as the memory keeps the ring.
//   - A child of a fork has no such memory, and no fiber of this runtime. An executed one
//     does not have the descriptor.
//   - The runtime ends when its fibers have, so nothing is under way then.
//   - A carrier that ends while the kernel's threads have not begun what it submitted takes that
//     with it: the request ends with ECANCELED, and is done at home.
//
// Rejected: a ring for each worker, without the lock. Requests that wait for a device are rare
// beside the time that they take, and each ring costs a descriptor and memory.
// Rejected: a queue of the runtime's own that is submitted in batches; see
// docs/decisions/011-files.md.
#pragma once

#include <linux/io_uring.h>

#include <cstdint>
#include <optional>

#include "base/atomic.h"
#include "fiber/fiber.h"
#include "os/epoll.h"
#include "os/io_uring.h"
#include "os/spin_lock.h"

namespace weft::sched {

class FileRing {
 public:
  // For so many requests at a time, a power of two; 0: there is no ring.
  FileRing(os::Epoll& epoll, unsigned most_requests) noexcept;
  ~FileRing();
  FileRing(const FileRing&) = delete;
  FileRing& operator=(const FileRing&) = delete;

  // Whether there is a ring; the first to ask makes it.
  bool is_usable() noexcept {
    const State state = state_.load(std::memory_order_acquire);
    return state == State::usable || (state == State::unknown && make());
  }

  // Stops the calling fiber, which is away, until the request is done, and answers its result.
  // Nothing: it was not done at all, and the caller does it at home.
  std::optional<long> perform(io_uring_sqe request) noexcept;

  // Wakes those whose requests are done.
  void reap() noexcept {
    if (state_.load(std::memory_order_acquire) < State::usable) return;
    if (ring_.has_completions()) wake_done();
  }

 private:
  enum class State : std::uint8_t { unknown, refused, usable, lost };
  // On the waiting fiber's stack.
  struct Waiter {
    fiber::Fiber* fiber;
    long result = 0;
    atomic<std::uint32_t> done{0};  // 1: the result is there
  };

  bool make() noexcept;
  bool submit(const io_uring_sqe& request) noexcept;
  void wake_done() noexcept;

  os::Epoll& epoll_;
  const unsigned most_requests_;
  atomic<State> state_{State::unknown};  // written under submit_lock_
  atomic<std::uint32_t> under_way_{0};
  os::SpinLock submit_lock_;
  os::SpinLock reap_lock_;
  os::IoUring ring_;
};

}  // namespace weft::sched
