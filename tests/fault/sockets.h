// SPDX-License-Identifier: Apache-2.0
// Connections, and fibers that wait on them, for the tests of input and output.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "sched/io.h"
#include "sched/runtime.h"
#include "stress/fibers.h"

namespace weft {

using namespace std::chrono_literals;
using sched::Direction;
using stress::Joinable;

inline os::Instant in(std::chrono::nanoseconds time) {
  return os::MonotonicClock::now() + time;
}

// Two ends of a connection, which are closed at last by what knows of waiters.
struct Pair {
  int ends[2] = {-1, -1};
  explicit Pair(int type = SOCK_STREAM) { EXPECT_EQ(::socketpair(AF_UNIX, type, 0, ends), 0); }
  ~Pair() {
    for (const int end : ends) sched::close(end);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
};

struct Listener {
  int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  Listener() {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof(address);
    EXPECT_EQ(::bind(descriptor, generic(), bytes), 0);
    EXPECT_EQ(::listen(descriptor, 64), 0);
    EXPECT_EQ(::getsockname(descriptor, generic(), &bytes), 0);
  }
  ~Listener() { sched::close(descriptor); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&address); }
  int connect() {
    const int made = ::socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(::connect(made, generic(), sizeof(address)), 0);
    return made;
  }
};

// A fiber that somebody else has to see parked.
class Parking {
 public:
  Parking(sched::Runtime& runtime, std::function<void()> function)
      : fiber_(runtime, [this, function = std::move(function)] {
          self_ = &fiber::self();
          function();
        }) {}
  void await_parked() {
    while (self_ == nullptr || self_.load()->place != fiber::Place::parked) {
      std::this_thread::yield();
    }
  }
  void join() { fiber_.join(); }

 private:
  std::atomic<fiber::Fiber*> self_{nullptr};
  Joinable fiber_;
};

// Keeps the only worker busy, so that what happens meanwhile is one edge.
class Busy {
 public:
  explicit Busy(sched::Runtime& runtime)
      : fiber_(runtime, [this] {
          runs_ = true;
          while (!stop_) {
          }
        }) {
    while (!runs_) std::this_thread::yield();
  }
  ~Busy() {
    stop_ = true;
    fiber_.join();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic<bool> runs_{false};
  std::atomic<bool> stop_{false};
  Joinable fiber_;
};

}  // namespace weft
