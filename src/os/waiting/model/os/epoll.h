// SPDX-License-Identifier: Apache-2.0
// Epoll in the `model` preset, and the descriptors that a program of the model checker has.
//
// A call is one turn, as it is atomic in the kernel. What is registered is edge-triggered: an edge
// is reported to one wait, as what the descriptor is ready for at that moment; registering reports
// what it is ready for already. Nothing returns for no reason.
#pragma once

#include <sys/epoll.h>

#include <asm/errno.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/atomic.h"
#include "os/clock.h"
#include "os/futex.h"

namespace weft::os {

class Epoll;

// All there are in the schedule: a few numbers that the process itself does not use, each open or
// not, and ready for some of EPOLL*.
class Descriptors {
 public:
  static constexpr int first = 1000;
  static constexpr int most = 4;

  // For the start of a schedule: none is open.
  static void reset() noexcept;

  static void open(int descriptor) noexcept;
  static void close(int descriptor) noexcept;
  // It becomes ready for these, once more where it was already: an edge.
  static void raise(int descriptor, std::uint32_t events) noexcept;
  // It is ready for these no more. Answers for which of them it was.
  static std::uint32_t lower(int descriptor, std::uint32_t events) noexcept;
  static std::uint32_t ready(int descriptor) noexcept;

 private:
  friend class Epoll;
  struct Descriptor {
    bool open;
    std::uint32_t ready;
  };
  // The turn of a call: what follows, up to the next operation of an atomic, is part of it.
  static void take_turn() noexcept { calls_.fetch_add(1); }
  static Descriptor& at(int descriptor) noexcept { return all_[index_of(descriptor)]; }
  static std::size_t index_of(int descriptor) noexcept {
    return static_cast<std::size_t>(descriptor - first);
  }
  static void wake() noexcept { futex_wake(calls_, std::numeric_limits<int>::max()); }

  static inline constinit atomic<std::uint32_t> calls_{0};  // waits sleep on it
  static inline constinit std::array<Descriptor, most> all_{};
  static inline constinit Epoll* newest_ = nullptr;
};

class Epoll {
 public:
  struct Event {
    std::uint32_t events;
    std::uint64_t data;
  };
  static constexpr std::size_t most_events = 128;

  Epoll() noexcept : older_(Descriptors::newest_) { Descriptors::newest_ = this; }
  ~Epoll() {
    for (Epoll** link = &Descriptors::newest_; *link != nullptr; link = &(*link)->older_) {
      if (*link == this) {
        *link = older_;
        break;
      }
    }
  }
  Epoll(const Epoll&) = delete;
  Epoll& operator=(const Epoll&) = delete;

  // Both answer 0 or minus errno.
  long add(int descriptor, std::uint32_t events, std::uint64_t data) noexcept {
    Descriptors::take_turn();
    const auto& file = Descriptors::at(descriptor);
    Registration& registration = registrations_[Descriptors::index_of(descriptor)];
    if (!file.open) return -EBADF;
    if (registration.present) return -EEXIST;
    const bool edge = (file.ready & events) != 0;
    registration = {.present = true, .edge = edge, .events = events, .data = data};
    if (edge) Descriptors::wake();
    return 0;
  }
  long remove(int descriptor) noexcept {
    Descriptors::take_turn();
    Registration& registration = registrations_[Descriptors::index_of(descriptor)];
    if (!registration.present) return -ENOENT;
    registration = {};
    return 0;
  }

  // Whether what the number names now is the file that was added under it. Reports what it is ready
  // for anew, as registering does.
  bool confirm(int descriptor, std::uint32_t events, std::uint64_t data) noexcept {
    Descriptors::take_turn();
    Registration& registration = registrations_[Descriptors::index_of(descriptor)];
    if (!registration.present) return false;
    const bool edge = registration.edge || (Descriptors::at(descriptor).ready & events) != 0;
    registration = {.present = true, .edge = edge, .events = events, .data = data};
    if (edge) Descriptors::wake();
    return true;
  }

  void kick() noexcept {
    Descriptors::take_turn();
    kicked_ = true;
    Descriptors::wake();
  }

  std::size_t wait(Event (&ready)[most_events], Instant deadline) noexcept {
    for (;;) {
      const std::uint32_t calls = Descriptors::calls_.fetch_add(0);
      const bool kicked = kicked_;
      kicked_ = false;
      const std::size_t count = take_edges(ready);
      if (kicked || count != 0) return count;
      if (deadline == Instant::min() || MonotonicClock::now() >= deadline) return 0;
      futex_wait(Descriptors::calls_, calls, deadline);
    }
  }

 private:
  friend class Descriptors;
  struct Registration {
    bool present = false;
    bool edge = false;
    std::uint32_t events = 0;
    std::uint64_t data = 0;
  };

  std::size_t take_edges(Event (&ready)[most_events]) noexcept {
    std::size_t count = 0;
    for (std::size_t i = 0; i < registrations_.size(); ++i) {
      Registration& registration = registrations_[i];
      if (!registration.edge) continue;
      registration.edge = false;
      const std::uint32_t events = Descriptors::all_[i].ready & registration.events;
      if (events != 0) ready[count++] = {events, registration.data};
    }
    return count;
  }
  Epoll* older_;
  // Written in the turn of a call.
  bool kicked_ = false;
  std::array<Registration, Descriptors::most> registrations_{};
};

inline void Descriptors::reset() noexcept {
  all_ = {};
  calls_.store(0);
  newest_ = nullptr;
}

inline void Descriptors::open(int descriptor) noexcept {
  take_turn();
  at(descriptor) = {.open = true, .ready = 0};
}

inline void Descriptors::close(int descriptor) noexcept {
  take_turn();
  at(descriptor) = {};
  for (Epoll* epoll = newest_; epoll != nullptr; epoll = epoll->older_) {
    epoll->registrations_[index_of(descriptor)] = {};
  }
}

inline void Descriptors::raise(int descriptor, std::uint32_t events) noexcept {
  take_turn();
  at(descriptor).ready |= events;
  for (Epoll* epoll = newest_; epoll != nullptr; epoll = epoll->older_) {
    auto& registration = epoll->registrations_[index_of(descriptor)];
    if ((registration.events & events) != 0) registration.edge = true;
  }
  wake();
}

inline std::uint32_t Descriptors::lower(int descriptor, std::uint32_t events) noexcept {
  take_turn();
  std::uint32_t& ready = at(descriptor).ready;
  const std::uint32_t before = ready & events;
  ready &= ~events;
  return before;
}

inline std::uint32_t Descriptors::ready(int descriptor) noexcept {
  take_turn();
  return at(descriptor).ready;
}

}  // namespace weft::os
