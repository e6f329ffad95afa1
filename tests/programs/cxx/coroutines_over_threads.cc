// SPDX-License-Identifier: Apache-2.0
// Coroutines that are suspended in one thread and resumed in another keep their frames and
// results.

#include "support.h"

#include <condition_variable>
#include <coroutine>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::condition_variable changed;
static std::deque<std::coroutine_handle<>> ready;
static int unfinished;

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { abort(); }
  };
};

// Continues the coroutine in whichever thread takes it next.
struct Elsewhere {
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const {
    std::lock_guard held(lock);
    ready.push_back(handle);
    changed.notify_one();
  }
  void await_resume() const noexcept {}
};

static Task count(int number, long* result) {
  long sum = 0;
  for (int i = 0; i < 50; ++i) {
    sum += i * number;
    co_await Elsewhere{};
    if (i % 25 == 0) sleep_ms(1);
  }
  *result = sum;
  std::lock_guard held(lock);
  if (--unfinished == 0) changed.notify_all();
}

int main() {
  long results[20] = {};
  unfinished = 20;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (;;) {
        std::unique_lock held(lock);
        changed.wait(held, [] { return !ready.empty() || unfinished == 0; });
        if (ready.empty()) return;
        auto handle = ready.front();
        ready.pop_front();
        held.unlock();
        handle.resume();
      }
    });
  }
  for (int i = 0; i < 20; ++i) count(i, &results[i]);
  threads.clear();
  long sum = 0;
  for (long result : results) sum += result;
  say("sum: %ld\n", sum);
}
