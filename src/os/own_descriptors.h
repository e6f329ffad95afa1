// SPDX-License-Identifier: Apache-2.0
// OwnDescriptor: a descriptor of the engine's in a table that is the program's.
//
// The program gets the numbers that it would get without us: the kernel gives the lowest that is
// free, so ours stand where it seldom comes: above its limit where that can be, and in any case
// above what select() knows. And it keeps ours: who closes or replaces numbers for the program asks
// here first.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <asm/errno.h>
#include <climits>
#include <ctime>
#include <mutex>

#include "base/atomic.h"
#include "os/spin_lock.h"
#include "os/system_call.h"

namespace weft::os {

class OwnDescriptor {
 public:
  OwnDescriptor() noexcept = default;
  ~OwnDescriptor() { close(); }
  OwnDescriptor(const OwnDescriptor&) = delete;
  OwnDescriptor& operator=(const OwnDescriptor&) = delete;

  // Takes what the call makes, a descriptor or minus errno, and answers 0 or that error. Also where
  // the program has opened all that it may. Precondition: it has none.
  template <class Make>
  long open(Make make) noexcept {
    const RaisedLimit limit;
    const long made = make();
    if (made < 0) return made;
    take(made, limit.first_number());
    return 0;
  }

  void close() noexcept {
    const std::scoped_lock guard(lock_);
    OwnDescriptor** link = &first_;
    while (*link != nullptr && *link != this) link = &(*link)->next_;
    if (*link != this) return;  // it has none, or the child of a fork() has given it up
    *link = next_;
    call(SYS_close, number());
    number_.store(-1, std::memory_order_relaxed);
  }

  int number() const noexcept { return number_.load(std::memory_order_relaxed); }

  // The lowest of ours from here on; -1: there is none.
  static int next_own(unsigned first) noexcept {
    if (static_cast<long>(first) > highest_.load(std::memory_order_relaxed)) return -1;
    const std::scoped_lock guard(lock_);
    int next = -1;
    for (const OwnDescriptor* own = first_; own != nullptr; own = own->next_) {
      const int number = own->number();
      if (number >= static_cast<int>(first) && (next < 0 || number < next)) next = number;
    }
    return next;
  }

  static bool is_own(int number) noexcept {
    return number >= lowest_.load(std::memory_order_relaxed) &&
           next_own(static_cast<unsigned>(number)) == number;
  }

  // The program wants this number, which is perhaps ours: it is then another. False: there is none.
  static bool move_away(int number) noexcept {
    if (!is_own(number)) return true;
    {
      const std::scoped_lock guard(lock_);
      for (OwnDescriptor* own = first_; own != nullptr; own = own->next_) {
        if (own->number() != number) continue;
        const RaisedLimit limit;
        long moved = -EMFILE;
        for (const int from : {limit.further_number(number), number + 1, 0}) {
          if (moved < 0) moved = call(SYS_fcntl, number, F_DUPFD_CLOEXEC, from);
        }
        if (moved < 0) return false;
        own->settle(static_cast<int>(moved));
      }
    }
    // Who has read the number before is on the way into the kernel with it, and soon there.
    const timespec soon{.tv_sec = 0, .tv_nsec = 1'000'000};
    call(SYS_nanosleep, &soon, nullptr);
    return true;
  }

  // Around a fork. The child closes what it has of its parent's.
  static void lock_all() noexcept { lock_.lock(); }
  static void unlock_all() noexcept { lock_.unlock(); }
  static void close_all_in_child() noexcept {
    for (OwnDescriptor* own = first_; own != nullptr; own = own->next_) {
      call(SYS_close, own->number());
      own->number_.store(-1, std::memory_order_relaxed);
    }
    first_ = nullptr;
    lowest_.store(INT_MAX, std::memory_order_relaxed);
    highest_.store(-1, std::memory_order_relaxed);
  }

 private:
  // select() ends here, so programs that use it do not come further.
  static constexpr int wanted_number = 1024;
  static constexpr unsigned room = 16;

  // While it lives there are a few numbers above the program's limit, where there can be.
  class RaisedLimit {
   public:
    RaisedLimit() noexcept {
      raised_ = call(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &limit_) == 0 &&
                limit_.rlim_max >= limit_.rlim_cur + room;
      if (!raised_) return;
      rlimit64 more = limit_;
      more.rlim_cur += room;
      raised_ = call(SYS_prlimit64, 0, RLIMIT_NOFILE, &more, nullptr) == 0;
    }
    ~RaisedLimit() {
      if (raised_) call(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit_, nullptr);
    }
    RaisedLimit(const RaisedLimit&) = delete;
    RaisedLimit& operator=(const RaisedLimit&) = delete;

    // The first that is to be tried. A table is as long as its highest number.
    int first_number() const noexcept {
      if (limit_.rlim_cur >= wanted_number + room) return wanted_number;
      const auto end = static_cast<int>(limit_.rlim_cur);
      return raised_ ? end : end - static_cast<int>(room);
    }
    // The same, where the program has come as far as to this one.
    int further_number(int number) const noexcept {
      constexpr rlim64_t longest_table = 65536;
      return raised_ && limit_.rlim_cur <= longest_table ? static_cast<int>(limit_.rlim_cur)
                                                         : number + 256;
    }

   private:
    rlimit64 limit_{};
    bool raised_ = false;
  };

  void take(long made, int first_number) noexcept {
    const long high = call(SYS_fcntl, made, F_DUPFD_CLOEXEC, first_number);
    if (high >= 0) call(SYS_close, made);  // otherwise it stays where it is
    const std::scoped_lock guard(lock_);
    settle(static_cast<int>(high >= 0 ? high : made));
    next_ = first_;
    first_ = this;
  }

  void settle(int number) noexcept {
    number_.store(number, std::memory_order_relaxed);
    if (number < lowest_.load(std::memory_order_relaxed)) {
      lowest_.store(number, std::memory_order_relaxed);
    }
    if (number > highest_.load(std::memory_order_relaxed)) {
      highest_.store(number, std::memory_order_relaxed);
    }
  }

  inline static constinit SpinLock lock_;
  inline static constinit OwnDescriptor* first_ = nullptr;  // guarded by lock_
  inline static constinit atomic<int> lowest_{INT_MAX};     // that there ever was
  inline static constinit atomic<int> highest_{-1};         // likewise

  atomic<int> number_{-1};
  OwnDescriptor* next_ = nullptr;  // guarded by lock_
};

}  // namespace weft::os
