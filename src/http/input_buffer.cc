// SPDX-License-Identifier: Apache-2.0
// What was read from a connection and not yet consumed, in one piece.
#include "http/input_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace weft::http {
namespace {

constexpr std::size_t smallest_bytes = 4096;  // holds the heads that browsers send

}  // namespace

std::span<char> InputBuffer::room(std::size_t least_bytes) {
  if (begin_ == end_) begin_ = end_ = floor();
  if (capacity_ - end_ < least_bytes) {
    if (capacity_ - floor() - unread().size() >= least_bytes) {
      move_unread_to(data_.get(), floor());
    } else {
      grow(least_bytes);
    }
  }
  return {data_.get() + end_, capacity_ - end_};
}

void InputBuffer::move_unread_to(char* data, std::size_t at) noexcept {
  const std::size_t size = end_ - begin_;
  if (size > 0) std::memmove(data + at, data_.get() + begin_, size);
  begin_ = at;
  end_ = at + size;
}

void InputBuffer::grow(std::size_t least_bytes) {
  const std::size_t needed = kept_size_ + unread().size() + least_bytes;
  const std::size_t capacity = std::max({smallest_bytes, needed, 2 * capacity_});
  std::unique_ptr<char[]> data(new char[capacity]);  // not cleared
  if (kept_size_ > 0) std::memcpy(data.get(), data_.get() + kept_at_, kept_size_);
  kept_at_ = 0;
  move_unread_to(data.get(), kept_size_);
  data_ = std::move(data);
  capacity_ = capacity;
}

void InputBuffer::keep(std::size_t bytes) noexcept {
  kept_at_ = begin_;
  kept_size_ = bytes;
  begin_ += bytes;
}

bool InputBuffer::release() noexcept {
  if (kept_size_ > 0 || begin_ != end_) return false;
  data_.reset();
  capacity_ = begin_ = end_ = 0;
  return true;
}

}  // namespace weft::http
