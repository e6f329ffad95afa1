// SPDX-License-Identifier: Apache-2.0
// RestOfVector: what is left of a vector of buffers.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace weft::sched {

// The vector is the program's own until a part of it has been transferred.
class RestOfVector {
 public:
  RestOfVector(const iovec* vectors, std::size_t count) noexcept
      : vectors_(vectors), count_(count) {}
  RestOfVector(const RestOfVector&) = delete;
  RestOfVector& operator=(const RestOfVector&) = delete;

  const iovec* vectors() const noexcept { return vectors_; }
  std::size_t count() const noexcept { return count_; }
  std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += vectors_[i].iov_len;
    return sum;
  }

  // So many bytes of it are done.
  void advance(std::size_t bytes) {
    iovec* next = own();
    while (count_ > 0 && bytes >= next->iov_len) {
      bytes -= next->iov_len;
      ++next;
      --count_;
    }
    if (bytes != 0) {
      next->iov_base = static_cast<std::byte*>(next->iov_base) + bytes;
      next->iov_len -= bytes;
    }
    vectors_ = next;
  }

  // Keeps no more than so many bytes.
  void limit(std::size_t bytes) {
    iovec* const first = own();
    std::size_t kept = 0;
    for (; kept < count_ && bytes != 0; ++kept) {
      first[kept].iov_len = std::min(first[kept].iov_len, bytes);
      bytes -= first[kept].iov_len;
    }
    count_ = kept;
  }

 private:
  static constexpr std::size_t most_on_stack = 16;

  iovec* own() {
    if (copy_ == nullptr) {
      if (count_ > most_on_stack) many_ = std::make_unique<iovec[]>(count_);
      copy_ = count_ > most_on_stack ? many_.get() : few_;
      std::copy_n(vectors_, count_, copy_);
      vectors_ = copy_;
    }
    return copy_ + (vectors_ - copy_);
  }

  const iovec* vectors_;
  std::size_t count_;
  iovec few_[most_on_stack];
  std::unique_ptr<iovec[]> many_;
  iovec* copy_ = nullptr;
};

}  // namespace weft::sched
