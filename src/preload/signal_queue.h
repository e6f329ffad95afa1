// SPDX-License-Identifier: Apache-2.0
// SignalQueue: signals that were sent to threads, in the order of sending.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "fiber/fiber.h"
#include "os/signal_mask.h"
#include "os/spin_lock.h"

namespace weft::preload {

// May be used in a handler: whoever has the lock has the kernel's signals blocked, but for faults.
class SignalQueue {
 public:
  // False: there is no room, as the kernel may say, too. Of the signals without a queue (below 32)
  // one is kept.
  bool push(fiber::Fiber& fiber, int signal, const siginfo_t& info) noexcept {
    const os::SignalMask undisturbed;
    const std::scoped_lock guard(lock_);
    constexpr int first_queued = 32;
    Entry* room = nullptr;
    for (Entry& entry : entries_) {
      if (entry.fiber == &fiber && entry.signal == signal && signal < first_queued) return true;
      if (entry.fiber == nullptr && room == nullptr) room = &entry;
      if (entry.fiber == nullptr && entry.number == 0) break;  // never used, as all behind it
    }
    if (room == nullptr) return false;
    *room = {&fiber, signal, ++numbers_, info};
    return true;
  }

  // The oldest; `more` says whether there is another.
  bool pop(const fiber::Fiber& fiber, int signal, siginfo_t& info, bool& more) noexcept {
    const os::SignalMask undisturbed;
    const std::scoped_lock guard(lock_);
    Entry* oldest = nullptr;
    std::size_t found = 0;
    for (Entry& entry : entries_) {
      if (entry.fiber == nullptr && entry.number == 0) break;
      if (entry.fiber != &fiber || entry.signal != signal) continue;
      ++found;
      if (oldest == nullptr || entry.number < oldest->number) oldest = &entry;
    }
    more = found > 1;
    if (oldest == nullptr) return false;
    info = oldest->info;
    oldest->fiber = nullptr;
    return true;
  }

  // In the child of a fork nothing is pending.
  void forget() noexcept {
    lock_.unlock();
    for (Entry& entry : entries_) entry.fiber = nullptr;
  }

 private:
  struct Entry {
    const fiber::Fiber* fiber = nullptr;
    int signal = 0;
    std::uint64_t number = 0;  // 0: never used
    siginfo_t info{};
  };
  os::SpinLock lock_;
  std::uint64_t numbers_ = 0;  // guarded by lock_, as the entries
  Entry entries_[1024] = {};
};

}  // namespace weft::preload
