// SPDX-License-Identifier: Apache-2.0
// std::condition_variable waits on steady and system clocks, and notifies at a thread's exit.

#include "support.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

template <typename Clock>
static void time_out(const char* name) {
  std::mutex lock;
  std::condition_variable never;
  std::unique_lock held(lock);
  auto until = Clock::now() + std::chrono::milliseconds(20);
  while (never.wait_until(held, until) == std::cv_status::no_timeout) {
  }
  say("%s: in time %d\n", name, Clock::now() >= until);
}

struct AtEnd {
  bool* ended;
  ~AtEnd() { *ended = true; }
};

int main() {
  time_out<std::chrono::steady_clock>("steady");
  time_out<std::chrono::system_clock>("system");
  std::mutex lock;
  std::condition_variable changed;
  static bool destroyed = false;
  bool ready = false;
  std::thread thread([&] {
    thread_local AtEnd at_end{&destroyed};
    CHECK(at_end.ended != nullptr);
    std::unique_lock held(lock);
    ready = true;
    std::notify_all_at_thread_exit(changed, std::move(held));
  });
  {
    std::unique_lock held(lock);
    changed.wait(held, [&] { return ready; });
    say("thread-local data is destroyed before: %d\n", destroyed);
  }
  thread.join();
}
