// SPDX-License-Identifier: Apache-2.0
// From the head of one frame to the next.
#include "wire/idle_resets.h"

#include <algorithm>
#include <cstring>

namespace weft::wire {
namespace {

constexpr unsigned char headers_type = 1;
constexpr unsigned char reset_type = 3;

std::uint32_t number_at(std::string_view bytes, std::size_t begin, std::size_t size) noexcept {
  std::uint32_t number = 0;
  for (std::size_t i = begin; i < begin + size; ++i) {
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

std::uint32_t payload_bytes_of(std::string_view head) noexcept {
  return number_at(head, 0, 3);
}
unsigned char type_of(std::string_view head) noexcept {
  return static_cast<unsigned char>(head[3]);
}
std::uint32_t stream_of(std::string_view head) noexcept {
  return number_at(head, 5, 4) & 0x7fffffffU;
}

}  // namespace

std::size_t IdleResets::needed(std::string_view start) noexcept {
  if (start.size() < head_bytes) return head_bytes;
  const bool is_reset = type_of(start) == reset_type && payload_bytes_of(start) == 4;
  return is_reset ? reset_bytes : head_bytes;
}

bool IdleResets::judge(std::string_view start) noexcept {
  const std::uint32_t stream = stream_of(start);
  if (type_of(start) == headers_type) last_begun_ = std::max(last_begun_, stream);
  // Streams of even numbers would be ours, and we have none.
  const bool is_idle_reset =
      needed(start) == reset_bytes && stream % 2 == 1 && stream > last_begun_;
  count_ += is_idle_reset ? 1 : 0;
  return is_idle_reset;
}

// As much as can be passed on in one piece: up to the next frame that is left out, or that cannot
// be judged yet.
IdleResets::Step IdleResets::next(std::string_view bytes) noexcept {
  if (start_bytes_ != 0) return complete_start(bytes);
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (rest_ != 0) {
      const std::size_t passed = std::min(rest_, bytes.size() - at);
      rest_ -= passed;
      at += passed;
      continue;
    }
    const std::string_view start = bytes.substr(at);
    if (start.size() < needed(start)) {
      std::memcpy(start_.data(), start.data(), start.size());
      start_bytes_ = start.size();
      return {bytes.substr(0, at), bytes.size()};
    }
    if (judge(start)) return {bytes.substr(0, at), at + reset_bytes};
    rest_ = head_bytes + payload_bytes_of(start);
  }
  return {bytes, bytes.size()};
}

IdleResets::Step IdleResets::complete_start(std::string_view bytes) noexcept {
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    start_[start_bytes_++] = bytes[taken++];
    const std::string_view start(start_.data(), start_bytes_);
    if (start.size() < needed(start)) continue;
    start_bytes_ = 0;
    if (judge(start)) return {{}, taken};
    rest_ = head_bytes + payload_bytes_of(start) - start.size();
    return {start, taken};
  }
  return {{}, taken};
}

}  // namespace weft::wire
