// SPDX-License-Identifier: Apache-2.0
// Messages as gRPC frames them: a byte that says whether it is compressed, four that say how long
// it is, and the message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::wire {

inline constexpr std::size_t prefix_bytes = 5;

// Of a message that is not compressed.
void write_prefix(char* place, std::uint32_t message_bytes) noexcept;

// Takes what comes, in whatever pieces, and gives whole messages. What is wrong with one is known
// when its prefix is there, and before any memory is kept for it.
class Messages {
 public:
  enum class Problem : std::uint8_t { none, compressed, malformed, too_long };

  // Forgets all that came, and keeps its memory where that is little.
  void restart(std::size_t most_message_bytes) noexcept;

  void add(std::string_view bytes);
  // The message that is next, once it is whole. It stays there until pop() or add().
  std::optional<std::string_view> front() const noexcept;
  // Precondition: there is one. Answers how many bytes it took, with its prefix.
  std::size_t pop() noexcept;

  // Of the message that is next, or what there is of it. Nothing is kept from then on.
  Problem problem() const noexcept { return problem_; }
  // Nothing is left, not even a piece.
  bool empty() const noexcept { return begin_ == bytes_.size(); }
  std::size_t buffered_bytes() const noexcept { return bytes_.size() - begin_; }

 private:
  void look() noexcept;

  std::string bytes_;
  std::size_t begin_ = 0;       // of the next prefix
  std::size_t next_bytes_ = 0;  // of the next message, once its prefix is there
  bool has_prefix_ = false;
  Problem problem_ = Problem::none;
  std::size_t most_message_bytes_ = 0;
};

}  // namespace weft::wire
