// SPDX-License-Identifier: Apache-2.0
// Threads and deadlines for the unit tests of this folder.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "fiber/fiber.h"
#include "sync/deadline.h"
#include "sync/generation.h"

namespace weft::sync::testing {

using namespace std::chrono_literals;

template <class Predicate>
void eventually(Predicate predicate) {
  while (!predicate()) std::this_thread::sleep_for(100us);
}

// A thread of which one can know that it waits.
class TestThread {
 public:
  explicit TestThread(std::function<void()> function)
      : thread_([this, function = std::move(function)] {
          fiber_.store(&fiber::self());
          function();
          is_finished_.store(true);
        }) {}
  ~TestThread() { join(); }
  TestThread(const TestThread&) = delete;
  TestThread& operator=(const TestThread&) = delete;

  void join() {
    if (thread_.joinable()) thread_.join();
  }
  // For a thread that is going to wait for the object, or has done so already.
  void wait_until_parked(const void* object) const {
    eventually([&] {
      if (is_finished_.load()) return true;
      fiber::Fiber* const fiber = fiber_.load();
      return fiber != nullptr && fiber->waits_for.load() == object;
    });
  }

 private:
  std::atomic<fiber::Fiber*> fiber_{nullptr};
  std::atomic<bool> is_finished_{false};
  std::thread thread_;
};

inline void run_together(int threads, const std::function<void(int)>& function) {
  std::vector<std::thread> running;
  running.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) running.emplace_back(function, i);
  for (std::thread& thread : running) thread.join();
}

inline timespec time_in(clockid_t clock, std::chrono::nanoseconds from_now) {
  timespec time{};
  clock_gettime(clock, &time);
  const auto total =
      std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec} + from_now;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(total);
  return {.tv_sec = seconds.count(), .tv_nsec = (total - seconds).count()};
}

inline Deadline in(std::chrono::nanoseconds from_now,
                   Deadline::Clock clock = Deadline::Clock::monotonic) {
  const bool is_monotonic = clock == Deadline::Clock::monotonic;
  return Deadline::at(clock, time_in(is_monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, from_now));
}

// What no clock can show.
inline Deadline invalid_deadline(long nanoseconds = 1'000'000'000) {
  return Deadline::at(Deadline::Clock::realtime, {.tv_sec = 1, .tv_nsec = nanoseconds});
}

// Whether it holds in a child of a fork, where none of the other threads are.
template <class Predicate>
bool holds_in_child(Predicate predicate) {
  const pid_t child = fork();
  if (child == 0) {
    after_fork_in_child();
    _exit(predicate() ? 0 : 1);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

// The same choices for the same seed on every machine.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : state_(seed * 2654435761U + 1) {}
  std::uint32_t below(std::uint32_t limit) {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 17U;
    state_ ^= state_ << 5U;
    return state_ % limit;
  }

 private:
  std::uint32_t state_;
};

inline constexpr Deadline::Clock both_clocks[] = {Deadline::Clock::monotonic,
                                                  Deadline::Clock::realtime};

}  // namespace weft::sync::testing
