// SPDX-License-Identifier: Apache-2.0
// Prefixes, read and written.
#include "wire/messages.h"

namespace weft::wire {
namespace {

// What is kept of the memory of one stream for the next.
constexpr std::size_t most_kept_bytes = 4096;

std::uint32_t length_at(const char* place) noexcept {
  std::uint32_t length = 0;
  for (int i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(place[i]);
  return length;
}

}  // namespace

void write_prefix(char* place, std::uint32_t message_bytes) noexcept {
  place[0] = 0;
  for (int i = 4; i > 0; --i) {
    place[i] = static_cast<char>(message_bytes & 0xffU);
    message_bytes >>= 8;
  }
}

void Messages::restart(std::size_t most_message_bytes) noexcept {
  if (bytes_.capacity() > most_kept_bytes) {
    bytes_ = std::string();
  } else {
    bytes_.clear();
  }
  begin_ = 0;
  next_bytes_ = 0;
  has_prefix_ = false;
  problem_ = Problem::none;
  most_message_bytes_ = most_message_bytes;
}

void Messages::add(std::string_view bytes) {
  if (problem_ != Problem::none) return;
  // What was read goes when it is half of all: each byte is moved once at most, on average.
  if (begin_ != 0 && begin_ >= bytes_.size() / 2) {
    bytes_.erase(0, begin_);
    begin_ = 0;
  }
  bytes_.append(bytes);
  look();
}

void Messages::look() noexcept {
  if (has_prefix_ || buffered_bytes() < prefix_bytes) return;
  const char* const prefix = bytes_.data() + begin_;
  next_bytes_ = length_at(prefix + 1);
  has_prefix_ = true;
  if (prefix[0] == 1) {
    problem_ = Problem::compressed;
  } else if (prefix[0] != 0) {
    problem_ = Problem::malformed;
  } else if (next_bytes_ > most_message_bytes_) {
    problem_ = Problem::too_long;
  }
}

std::optional<std::string_view> Messages::front() const noexcept {
  if (problem_ != Problem::none || !has_prefix_) return std::nullopt;
  if (buffered_bytes() - prefix_bytes < next_bytes_) return std::nullopt;
  return std::string_view(bytes_).substr(begin_ + prefix_bytes, next_bytes_);
}

std::size_t Messages::pop() noexcept {
  const std::size_t taken = prefix_bytes + next_bytes_;
  begin_ += taken;
  has_prefix_ = false;
  if (begin_ == bytes_.size()) {
    begin_ = 0;
    bytes_.clear();
    if (bytes_.capacity() > most_kept_bytes) bytes_ = std::string();
  }
  look();
  return taken;
}

}  // namespace weft::wire
