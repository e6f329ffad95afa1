// SPDX-License-Identifier: Apache-2.0
// A pool of threads that takes packaged tasks from a queue runs each once and gives all results.

#include "support.h"

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  std::mutex lock;
  std::condition_variable changed;
  std::deque<std::packaged_task<int()>> tasks;
  bool closing = false;
  std::vector<std::jthread> pool;
  for (int i = 0; i < 4; ++i) {
    pool.emplace_back([&] {
      for (;;) {
        std::unique_lock held(lock);
        changed.wait(held, [&] { return closing || !tasks.empty(); });
        if (tasks.empty()) return;
        auto task = std::move(tasks.front());
        tasks.pop_front();
        held.unlock();
        task();
      }
    });
  }
  std::vector<std::future<int>> futures;
  for (int i = 0; i < 500; ++i) {
    std::packaged_task<int()> task([i] {
      if (i % 100 == 0) sleep_ms(1);
      return i;
    });
    futures.push_back(task.get_future());
    std::lock_guard held(lock);
    tasks.push_back(std::move(task));
    changed.notify_one();
  }
  long sum = 0;
  for (auto& future : futures) sum += future.get();
  {
    std::lock_guard held(lock);
    closing = true;
  }
  changed.notify_all();
  pool.clear();
  say("sum: %ld\n", sum);
}
