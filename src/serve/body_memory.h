// SPDX-License-Identifier: Apache-2.0
// BodyMemory: one bound over all bodies of requests that are held; BodyBuffer: one of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/atomic.h"

namespace weft::serve {

// For any thread.
class BodyMemory {
 public:
  BodyMemory(std::uint64_t most_bytes, std::chrono::seconds retry_after) noexcept
      : most_bytes_(most_bytes), retry_after_(retry_after) {}

  bool take(std::uint64_t bytes) noexcept {
    const std::uint64_t before = used_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes <= most_bytes_) return true;
    give_back(bytes);
    return false;
  }
  void give_back(std::uint64_t bytes) noexcept {
    used_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  std::uint64_t used_bytes() const noexcept { return used_bytes_.load(std::memory_order_relaxed); }

  // When those for whom there is none may come again.
  std::chrono::seconds retry_after() const noexcept { return retry_after_; }

 private:
  const std::uint64_t most_bytes_;
  const std::chrono::seconds retry_after_;
  atomic<std::uint64_t> used_bytes_{0};
};

// Counts what it has allocated, not only what is in it.
class BodyBuffer {
 public:
  explicit BodyBuffer(BodyMemory* memory) noexcept : memory_(memory) {}  // none: without a bound
  ~BodyBuffer() { release(); }
  BodyBuffer(const BodyBuffer&) = delete;
  BodyBuffer& operator=(const BodyBuffer&) = delete;

  std::string_view text() const noexcept { return text_; }
  bool empty() const noexcept { return text_.empty(); }
  std::size_t held_bytes() const noexcept { return text_.capacity(); }
  // False: there is no memory for it.
  bool append(std::string_view piece) {
    const std::size_t needed = text_.size() + piece.size();
    if (needed > counted_bytes_) {
      if (!grow_to(std::max(needed, 2 * counted_bytes_)) && !grow_to(needed)) return false;
      text_.reserve(counted_bytes_);
    }
    text_ += piece;
    return true;
  }
  // Keeps no more memory than that.
  void clear(std::size_t most_kept_bytes) noexcept {
    text_.clear();
    if (counted_bytes_ > most_kept_bytes) release();
  }
  void release() noexcept {
    std::string().swap(text_);  // to assign an empty one keeps the memory
    if (memory_ != nullptr) memory_->give_back(counted_bytes_);
    counted_bytes_ = 0;
  }

 private:
  bool grow_to(std::size_t bytes) noexcept {
    if (memory_ != nullptr && !memory_->take(bytes - counted_bytes_)) return false;
    counted_bytes_ = bytes;
    return true;
  }

  BodyMemory* const memory_;
  std::string text_;
  std::size_t counted_bytes_ = 0;
};

}  // namespace weft::serve
