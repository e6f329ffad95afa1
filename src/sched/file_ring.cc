// SPDX-License-Identifier: Apache-2.0
// The ring's making, its requests and their ends.
#include "sched/file_ring.h"

#include <sys/epoll.h>

#include <asm/errno.h>
#include <mutex>

#include "sched/park.h"

namespace weft::sched {
namespace {

// No number of a descriptor, so the poller knows nobody who waits for it.
constexpr std::uint64_t no_descriptor = ~std::uint64_t{1};

// Of the kernel's, for what has no way but to wait: as many flushes as one commit of a journal can
// serve together.
constexpr unsigned most_threads = 128;

// What the kernel says where it cannot do it this way, and the call itself may.
bool is_not_done(long result) {
  return result == -EAGAIN || result == -EINTR || result == -ECANCELED || result == -EOPNOTSUPP ||
         result == -EINVAL;
}

}  // namespace

FileRing::FileRing(os::Epoll& epoll, unsigned most_requests) noexcept
    : epoll_(epoll), most_requests_(most_requests) {
  if (most_requests == 0) state_.store(State::refused, std::memory_order_relaxed);
}

FileRing::~FileRing() {
  if (ring_.descriptor() >= 0) epoll_.remove(ring_.descriptor());
}

bool FileRing::make() noexcept {
  const std::scoped_lock guard(submit_lock_);
  if (state_.load(std::memory_order_relaxed) == State::unknown) {
    bool made = ring_.open(most_requests_, most_threads) == 0;
    if (made && epoll_.add(ring_.descriptor(), EPOLLIN | EPOLLET, no_descriptor) != 0) {
      ring_.close();
      made = false;
    }
    state_.store(made ? State::usable : State::refused, std::memory_order_release);
  }
  return state_.load(std::memory_order_relaxed) == State::usable;
}

std::optional<long> FileRing::perform(io_uring_sqe request) noexcept {
  Waiter waiter{.fiber = &fiber::self()};
  request.user_data = reinterpret_cast<std::uintptr_t>(&waiter);
  if (!submit(request)) return std::nullopt;
  reap();  // it may be done already
  while (waiter.done.load(std::memory_order_acquire) == 0) {
    park(fiber::ParkKind::file, this);
  }
  if (is_not_done(waiter.result)) return std::nullopt;
  return waiter.result;
}

bool FileRing::submit(const io_uring_sqe& request) noexcept {
  if (!is_usable()) return false;
  const std::scoped_lock guard(submit_lock_);
  if (state_.load(std::memory_order_relaxed) != State::usable) return false;
  if (under_way_.load(std::memory_order_relaxed) >= most_requests_) return false;
  // Pairs with the load in wake_done(): the kernel orders the two, but the language does not know.
  under_way_.fetch_add(1, std::memory_order_release);
  const long error = ring_.submit(request);
  if (error == 0) return true;
  under_way_.fetch_sub(1, std::memory_order_relaxed);
  const bool for_now = error == -EAGAIN || error == -EBUSY || error == -ENOMEM;
  if (!for_now) state_.store(State::lost, std::memory_order_release);
  return false;
}

void FileRing::wake_done() noexcept {
  constexpr std::size_t most_at_once = 32;
  for (;;) {
    fiber::Fiber* done[most_at_once];
    std::size_t count = 0;
    {
      const std::scoped_lock guard(reap_lock_);
      os::IoUring::Completion completion{};
      while (count < most_at_once && ring_.take(completion)) {
        static_cast<void>(under_way_.load(std::memory_order_acquire));
        auto* const waiter = reinterpret_cast<Waiter*>(completion.data);
        done[count++] = waiter->fiber;
        waiter->result = completion.result;
        // Pairs with the load in perform(): the waiter may be gone after this.
        waiter->done.store(1, std::memory_order_release);
      }
    }
    if (count == 0) return;
    under_way_.fetch_sub(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
    for (std::size_t i = 0; i < count; ++i) unpark(*done[i]);
  }
}

}  // namespace weft::sched
