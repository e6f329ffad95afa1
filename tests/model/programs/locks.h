// SPDX-License-Identifier: Apache-2.0
// What programs about the locks are made of: threads that park at home, deadlines, what a lock
// guards, and objects whose memory is given back.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

#include "base/atomic.h"
#include "fiber/kernel_threads.h"
#include "model/model.h"
#include "os/clock.h"
#include "sync/deadline.h"

namespace weft::model {

// A thread that never leaves home.
inline void home_thread(Program& program, std::function<void()> function) {
  auto& record = program.make<fiber::Record>(program.threads().size());
  program.thread([&record, function = std::move(function)] {
    const fiber::Identity identity(record);
    function();
  });
}

// The schedule chooses when it is over.
inline sync::Deadline in(std::chrono::nanoseconds from_now) {
  const auto at = (os::MonotonicClock::now() + from_now).time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
  return sync::Deadline::at(sync::Deadline::Clock::monotonic,
                            {.tv_sec = seconds.count(), .tv_nsec = (at - seconds).count()});
}

inline bool is_over(const sync::Deadline& deadline) {
  return !deadline.park_until();
}

// Two plain numbers that are the same whenever nobody is inside.
class Guarded {
 public:
  void enter() {
    check(entered_ == left_, "two threads are inside");
    ++entered_;
    pause_.load();  // a turn, in which others come in if they can
    check(entered_ == left_ + 1, "another thread has come in");
    ++left_;
  }
  int entered() const noexcept { return entered_; }

 private:
  int entered_ = 0;
  int left_ = 0;
  atomic<int> pause_{0};
};

// At random. By the length of the first schedule, which never preempts, the checker knows where
// changes of priority can be of use. But in that one nobody waits for a lock, and it is over soon:
// a thread that is in no other schedule makes it as long as those where they wait. Many changes,
// because a wait, its deadline and a wake-up have to overtake each other in the queue of a lock.
inline void expect_lock_passes(std::uint64_t schedules, const Body& body) {
  constexpr int more_turns = 90;
  bool is_first = true;
  const auto long_first = [&](Program& program) {
    if (std::exchange(is_first, false)) {
      program.thread([&pause = program.make<atomic<int>>(0)] {
        for (int turn = 0; turn < more_turns; ++turn) pause.load();
      });
    }
    body(program);
  };
  const Outcome outcome = explore({.schedules = schedules, .change_points = 8}, long_first);
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_EQ(outcome.schedules, schedules + 1);
}

// An object that somebody in the program destroys and gives the memory of to others. Nobody may
// touch it from then on: that a store is on its way is found at once, that it was written to later
// is found at the end.
template <class Object>
class Perishable {
 public:
  Perishable() { new (bytes_.data()) Object; }
  ~Perishable() {
    if (!destroyed_) get().~Object();
  }
  Perishable(const Perishable&) = delete;
  Perishable& operator=(const Perishable&) = delete;

  Object& operator*() noexcept { return get(); }
  Object* operator->() noexcept { return &get(); }

  void destroy() {
    get().~Object();
    std::memset(bytes_.data(), static_cast<int>(of_others), bytes_.size());
    destroyed_ = true;
  }
  // For the end.
  void check_destroyed() const {
    check(destroyed_, "nobody has destroyed the object");
    const auto untouched = [](std::byte byte) { return byte == of_others; };
    check(std::all_of(bytes_.begin(), bytes_.end(), untouched), "touched after it was destroyed");
  }

 private:
  static constexpr std::byte of_others{0xEE};

  Object& get() noexcept { return *std::launder(reinterpret_cast<Object*>(bytes_.data())); }

  alignas(Object) std::array<std::byte, sizeof(Object)> bytes_;
  bool destroyed_ = false;
};

}  // namespace weft::model
