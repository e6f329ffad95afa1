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
  // What is kept of a signal.
  struct Taken {
    siginfo_t info{};
    bool told = false;  // the kernel has a copy of it
    bool more = false;  // there is another
  };

  // False: there is no room, as the kernel may say, too. Of the signals without a queue (below 32),
  // and of each timer's, one is kept. `announce` is called when all can find the signal: it is
  // told whether the kernel knows already, and answers whether it does now.
  template <class Announce>
  bool push(fiber::Fiber& fiber, int signal, const siginfo_t& info, Announce announce) noexcept {
    const os::SignalMask undisturbed;
    const std::scoped_lock guard(lock_);
    Entry* room = nullptr;
    for (Entry& entry : entries_) {
      if (entry.fiber == &fiber && entry.signal == signal && is_one(entry, info)) {
        if (is_timers(info)) entry.info.si_overrun += info.si_overrun + 1;
        entry.told = announce(entry.told);
        return true;
      }
      if (entry.fiber == nullptr && room == nullptr) room = &entry;
      if (entry.fiber == nullptr && entry.number == 0) break;  // never used, as all behind it
    }
    if (room == nullptr) return false;
    *room = {.fiber = &fiber, .signal = signal, .number = ++numbers_, .info = info};
    room->told = announce(false);
    return true;
  }

  // The oldest.
  bool pop(const fiber::Fiber& fiber, int signal, Taken& taken) noexcept {
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
    if (oldest == nullptr) return false;
    taken = {.info = oldest->info, .told = oldest->told, .more = found > 1};
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
    bool told = false;
    std::uint64_t number = 0;  // 0: never used
    siginfo_t info{};
  };

  static bool is_timers(const siginfo_t& info) noexcept { return info.si_code == SI_TIMER; }
  static bool is_one(const Entry& entry, const siginfo_t& info) noexcept {
    constexpr int first_queued = 32;
    if (entry.signal < first_queued) return true;
    return is_timers(info) && is_timers(entry.info) && entry.info.si_timerid == info.si_timerid;
  }

  os::SpinLock lock_;
  std::uint64_t numbers_ = 0;  // guarded by lock_, as the entries
  Entry entries_[1024] = {};
};

}  // namespace weft::preload
