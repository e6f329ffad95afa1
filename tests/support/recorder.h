// SPDX-License-Identifier: Apache-2.0
// A subscriber that remembers what it was told, and when, counted in looks of the watch.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include <weft/budget_watch.h>

namespace weft::support {

class Recorder {
 public:
  struct Told {
    double cores = 0;
    std::uint64_t refreshes = 0;  // of the watch when it told us
  };

  // Subscribes to the watch, which must outlive this.
  explicit Recorder(budget::Watch& watch)
      : subscription_(watch.subscribe([this, &watch](const budget::Budget& budget) {
          const std::uint64_t refreshes = watch.counters().refreshes;
          const std::lock_guard lock(mutex_);
          told_.push_back({budget.cpu.cores, refreshes});
          changed_.notify_all();
        })) {}

  // Everything so far, beginning with what subscribing told.
  std::vector<Told> told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }

  // Waits until it was told this many times; false when that does not come. The bound is against
  // hanging, not a promise about time.
  bool wait_for(std::size_t count) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return told_.size() >= count; });
  }

  void unsubscribe() { subscription_.reset(); }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<Told> told_;  // guarded by mutex_
  budget::Watch::Subscription subscription_;
};

}  // namespace weft::support
