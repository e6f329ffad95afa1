// SPDX-License-Identifier: Apache-2.0
// What programs about the locks are made of: threads that park at home, deadlines, what a lock
// guards, and objects whose memory is given back.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
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
