// SPDX-License-Identifier: Apache-2.0
// Deadlines: by when something must have happened, for very many things, and coarse.
//
// A wheel of slots, each for the deadlines of one tick; one that is further away than the wheel is
// round waits in its slot for another round. Nearly all deadlines are moved later again and again
// (a connection that is used) and hardly any comes: to move one later is a store, and the wheel
// finds out when it gets there. Owned by one thread. Entries are members of what they stand for.
//
// Rejected: a heap, whose every move is a walk; and one timer descriptor for each connection.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace weft::net {

using TimePoint = std::chrono::steady_clock::time_point;
inline constexpr TimePoint never = TimePoint::max();
// How long poll(2) and epoll_wait(2) are to wait: rounded up, and -1 for never.
std::chrono::milliseconds patience_until(TimePoint until,
                                         TimePoint now = std::chrono::steady_clock::now()) noexcept;

class Deadlines;

class Deadline {
 public:
  Deadline() = default;
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  bool is_set() const noexcept { return previous_ != nullptr; }
  TimePoint at() const noexcept { return at_; }

 private:
  friend class Deadlines;
  void unlink() noexcept;
  void link_before(Deadline& head) noexcept;

  Deadline* next_ = nullptr;
  Deadline* previous_ = nullptr;
  TimePoint at_{};
  std::uint64_t tick_ = 0;  // where it stands; not later than at_
};

class Deadlines {
 public:
  // A deadline comes at most so much late.
  static constexpr std::chrono::nanoseconds tick = std::chrono::milliseconds{64};

  explicit Deadlines(TimePoint now) noexcept;
  Deadlines(const Deadlines&) = delete;
  Deadlines& operator=(const Deadlines&) = delete;

  void set(Deadline& deadline, TimePoint at) noexcept;
  void cancel(Deadline& deadline) noexcept;

  // Calls the function with each that is over, and no longer set. It may set and cancel any.
  template <class Function>
  void expire(TimePoint now, Function function) {
    Deadline due;  // the head of a list of their own: the function may set one anew
    close(due);
    take_reached(tick_of(now), due);
    while (due.next_ != &due) {
      Deadline& deadline = *due.next_;
      deadline.unlink();
      --count_;
      if (deadline.at_ > now) {
        set(deadline, deadline.at_);
      } else {
        function(deadline);
      }
    }
  }

  // When to call expire() again; never: not before something is set.
  TimePoint next_look() const noexcept;
  std::size_t count() const noexcept { return count_; }

 private:
  static constexpr std::size_t slots = 512;  // half a minute

  static void close(Deadline& head) noexcept;
  // Moves what stands in the slots up to a tick to the end of a list.
  void take_reached(std::uint64_t last, Deadline& list) noexcept;
  std::uint64_t tick_of(TimePoint at) const noexcept;
  Deadline& slot(std::uint64_t tick) noexcept { return heads_[tick % slots]; }

  const TimePoint began_;
  std::uint64_t reached_ = 0;  // every slot up to this tick has been looked at
  std::size_t count_ = 0;
  std::array<Deadline, slots> heads_;
};

}  // namespace weft::net
