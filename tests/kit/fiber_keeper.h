// SPDX-License-Identifier: Apache-2.0
// Fibers whose handles nobody else keeps: they are over when this is.
#pragma once

#include <weft/fibers.h>

#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

namespace weft::kit {

class FiberKeeper {
 public:
  explicit FiberKeeper(const FibersOptions& options) : fibers_(options) {}
  ~FiberKeeper() { join(0); }

  void spawn(std::function<void()> function) {
    Fiber fiber = fibers_.spawn(std::move(function), {.stack_bytes = 128 << 10});
    const std::scoped_lock guard(mutex_);
    kept_.push_back(std::move(fiber));
  }
  // Joins the oldest until there are so many. Not for fibers.
  void join(std::size_t most) {
    for (;;) {
      Fiber oldest;
      {
        const std::scoped_lock guard(mutex_);
        if (kept_.size() <= most) return;
        oldest = std::move(kept_.front());
        kept_.pop_front();
      }
      oldest.join();
    }
  }

 private:
  Fibers fibers_;
  std::mutex mutex_;
  std::deque<Fiber> kept_;  // guarded by mutex_
};

}  // namespace weft::kit
