// SPDX-License-Identifier: Apache-2.0
// RecentAverage: of the last 128 durations; recorded and read by any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace weft::pool {

class RecentAverage {
 public:
  void record(std::chrono::nanoseconds duration) {
    const std::scoped_lock guard(lock_);
    std::chrono::nanoseconds& oldest = last_[count_ % last_.size()];
    sum_ += duration - oldest;
    oldest = duration;
    ++count_;
  }
  // Zero of none.
  std::chrono::nanoseconds value() const {
    const std::scoped_lock guard(lock_);
    if (count_ == 0) return std::chrono::nanoseconds{0};
    return sum_ / static_cast<std::int64_t>(count_ < last_.size() ? count_ : last_.size());
  }

 private:
  mutable std::mutex lock_;
  std::array<std::chrono::nanoseconds, 128> last_{};  // guarded by lock_, as all here
  std::chrono::nanoseconds sum_{0};
  std::size_t count_ = 0;
};

}  // namespace weft::pool
