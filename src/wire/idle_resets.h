// SPDX-License-Identifier: Apache-2.0
// IdleResets: keeps RST_STREAM frames of streams that were never begun from whoever takes HTTP/2 at
// its word.
//
// gRPC's client (1.51) gives a call a stream, and where the call is cancelled before its headers
// are sent it sends nothing but the reset. RFC 9113 (5.1) wants the connection ended for that, and
// nghttp2 ends it, with all the other calls on it. A reset of what is not there means nothing; so
// it is left out, and counted.
//
// Looks at nothing but the heads of frames: whether they are right is not asked here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weft::wire {

class IdleResets {
 public:
  // Gives on what came but for those, in pieces: give(std::string_view), which answers whether it
  // goes on. Answers the last of these.
  template <class Give>
  bool pass(std::string_view bytes, Give give) {
    while (!bytes.empty()) {
      const Step step = next(bytes);
      if (!step.given.empty() && !give(step.given)) return false;
      bytes.remove_prefix(step.taken_bytes);
    }
    return true;
  }
  // Since it was asked last.
  std::uint32_t take_count() noexcept {
    const std::uint32_t count = count_;
    count_ = 0;
    return count;
  }

 private:
  static constexpr std::size_t preface_bytes = 24;
  static constexpr std::size_t head_bytes = 9;
  static constexpr std::size_t reset_bytes = 13;

  struct Step {
    std::string_view given;
    std::size_t taken_bytes;
  };
  // Of a piece that is not empty.
  Step next(std::string_view bytes) noexcept;
  Step complete_start(std::string_view bytes) noexcept;
  // Of a frame's first bytes: how many are needed before it can be judged.
  static std::size_t needed(std::string_view start) noexcept;
  // True: it is one of those. Precondition: as many bytes as needed.
  bool judge(std::string_view start) noexcept;

  std::size_t rest_ = preface_bytes;  // of the frame that is passed on, or of the preface
  std::array<char, reset_bytes> start_;
  std::size_t start_bytes_ = 0;  // of a frame whose first bytes came in several pieces
  std::uint32_t last_begun_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace weft::wire
