// SPDX-License-Identifier: Apache-2.0
// LineCount: how many lines of execution there are, and who waits for the last of them to end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace weft::serve {

// For any thread.
class LineCount {
 public:
  void begins() {
    const std::scoped_lock guard(lock_);
    ++count_;
  }
  // The last touch is under the lock: who waits for it may destroy all this.
  void ends() noexcept {
    const std::scoped_lock guard(lock_);
    if (--count_ == 0) none_left_.notify_all();
  }
  // Whether all have ended by then; max(): waits as long as it takes.
  bool wait_until(std::chrono::steady_clock::time_point until) {
    std::unique_lock guard(lock_);
    const auto is_none_left = [this] { return count_ == 0; };
    if (until != until.max()) return none_left_.wait_until(guard, until, is_none_left);
    none_left_.wait(guard, is_none_left);
    return true;
  }

 private:
  std::mutex lock_;
  std::condition_variable none_left_;
  std::size_t count_ = 0;  // guarded by lock_
};

}  // namespace weft::serve
