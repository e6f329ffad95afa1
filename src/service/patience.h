// SPDX-License-Identifier: Apache-2.0
// run_until(): work that may never end, and is waited for until a time only.
#pragma once

#include <chrono>
#include <future>
#include <thread>
#include <utility>

namespace weft::service {

// Runs the work on a thread of its own. False: it is not done by then, goes on by itself, and what
// it uses must not go: the process is to end by _Exit(). Throws what the work throws.
template <class Work>
bool run_until(std::chrono::steady_clock::time_point deadline, Work work) {
  std::packaged_task<void()> task(std::move(work));
  std::future<void> done = task.get_future();
  std::thread(std::move(task)).detach();
  if (done.wait_until(deadline) != std::future_status::ready) return false;
  done.get();
  return true;
}

}  // namespace weft::service
