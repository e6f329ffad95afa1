// SPDX-License-Identifier: Apache-2.0
// Epoll: where a kernel thread sleeps until a descriptor is ready, a deadline is over, or a kick.
#pragma once

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

#include <asm/errno.h>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "base/atomic.h"
#include "os/check.h"
#include "os/clock.h"
#include "os/own_descriptors.h"
#include "os/system_call.h"
#include "os/timespec.h"

namespace weft::os {

class Epoll {
 public:
  struct Event {
    std::uint32_t events;
    std::uint64_t data;
  };
  static constexpr std::size_t most_events = 128;

  Epoll() noexcept {
    long error = epoll_.open([] { return call(SYS_epoll_create1, EPOLL_CLOEXEC); });
    if (error == 0) {
      error = kicks_.open([] { return call(SYS_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK); });
    }
    check(error == 0, "weft: no descriptor left for epoll; raise `ulimit -n`");
    // Edge-triggered: each kick is reported once, and the counter never needs to be read.
    const long result = add(kicks_.number(), EPOLLIN | EPOLLET, kick_data);
    check(result == 0, "weft: epoll does not take an eventfd: no memory, or a limit of users");
  }
  Epoll(const Epoll&) = delete;
  Epoll& operator=(const Epoll&) = delete;

  // Both answer 0 or minus errno.
  long add(int descriptor, std::uint32_t events, std::uint64_t data) noexcept {
    epoll_event event{};
    event.events = events;
    event.data.u64 = data;
    return call(SYS_epoll_ctl, epoll_.number(), EPOLL_CTL_ADD, descriptor, &event);
  }
  long remove(int descriptor) noexcept {
    return call(SYS_epoll_ctl, epoll_.number(), EPOLL_CTL_DEL, descriptor, nullptr);
  }

  // Whether what the number names now is the file that was added under it.
  bool confirm(int descriptor, std::uint32_t events, std::uint64_t data) noexcept {
    epoll_event event{};
    event.events = events;
    event.data.u64 = data;
    return call(SYS_epoll_ctl, epoll_.number(), EPOLL_CTL_MOD, descriptor, &event) == 0;
  }

  // Lets the wait that sleeps, or else the next one, return.
  void kick() noexcept {
    const std::uint64_t one = 1;
    call(SYS_write, kicks_.number(), &one, sizeof(one));
  }

  // Stores what is ready and answers how many there are; kicks are not among them. Returns 0 at the
  // deadline, for a kick, for a signal, and where another wait has taken the events.
  std::size_t wait(Event (&ready)[most_events], Instant deadline) noexcept {
    epoll_event events[most_events];
    const long count = wait_raw(events, deadline);
    std::size_t kept = 0;
    for (long i = 0; i < count; ++i) {
      if (events[i].data.u64 == kick_data) continue;
      ready[kept++] = {events[i].events, events[i].data.u64};
    }
    return kept;
  }

 private:
  static constexpr std::uint64_t kick_data = ~std::uint64_t{0};

  long wait_raw(epoll_event (&events)[most_events], Instant deadline) noexcept {
    timespec time{};
    timespec* limit = nullptr;
    if (deadline != never) {
      if (deadline != Instant::min()) time = timespec_of(deadline - MonotonicClock::now());
      limit = &time;
    }
    if (has_nanoseconds_.load(std::memory_order_relaxed)) {
      const long count =
          call(SYS_epoll_pwait2, epoll_.number(), events, most_events, limit, nullptr, 0);
      // Linux before 5.11 does not know it, and filters of system calls that do not refuse it.
      if (count != -ENOSYS && count != -EPERM) return count;
      has_nanoseconds_.store(false, std::memory_order_relaxed);
    }
    constexpr long most_milliseconds = 1'000'000'000;
    long milliseconds = -1;
    if (limit != nullptr) {
      milliseconds = time.tv_sec >= most_milliseconds / 1'000
                         ? most_milliseconds
                         : time.tv_sec * 1'000 + (time.tv_nsec + 999'999) / 1'000'000;
    }
    return call(SYS_epoll_wait, epoll_.number(), events, most_events, milliseconds);
  }

  OwnDescriptor epoll_;
  OwnDescriptor kicks_;
  atomic<bool> has_nanoseconds_{true};
};

}  // namespace weft::os
