// SPDX-License-Identifier: Apache-2.0
// JobList: jobs that wait, linked through themselves; oldest first, or newest first above a depth.
#pragma once

#include <cstddef>

#include <weft/pool.h>

namespace weft::pool {

// The pool's part of a job.
struct JobAccess {
  static Job*& newer(Job& job) noexcept { return job.newer_; }
  static Job*& older(Job& job) noexcept { return job.older_; }
  static JobTimes::Instant& accepted(Job& job) noexcept { return job.accepted_; }
  static Context& context(Job& job) noexcept { return job.context_; }
};

// Not for several threads at once: its owner has a lock.
class JobList {
 public:
  // Zero: the oldest is always the first.
  explicit JobList(std::size_t newest_first_above) noexcept
      : newest_first_above_(newest_first_above) {}

  std::size_t length() const noexcept { return length_; }
  Job* oldest() const noexcept { return oldest_; }

  void push(Job& job) noexcept {
    JobAccess::newer(job) = nullptr;
    JobAccess::older(job) = newest_;
    (newest_ == nullptr ? oldest_ : JobAccess::newer(*newest_)) = &job;
    newest_ = &job;
    ++length_;
  }

  // Precondition: length() != 0.
  Job& pop() noexcept {
    if (newest_first_above_ != 0 && length_ > newest_first_above_) return take_newest();
    return take_oldest();
  }

 private:
  Job& take_oldest() noexcept {
    Job& job = *oldest_;
    oldest_ = JobAccess::newer(job);
    (oldest_ == nullptr ? newest_ : JobAccess::older(*oldest_)) = nullptr;
    --length_;
    return job;
  }
  Job& take_newest() noexcept {
    Job& job = *newest_;
    newest_ = JobAccess::older(job);
    (newest_ == nullptr ? oldest_ : JobAccess::newer(*newest_)) = nullptr;
    --length_;
    return job;
  }

  const std::size_t newest_first_above_;
  Job* oldest_ = nullptr;
  Job* newest_ = nullptr;
  std::size_t length_ = 0;
};

}  // namespace weft::pool
