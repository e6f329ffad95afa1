// SPDX-License-Identifier: Apache-2.0
// InputBuffer: what was read from a connection and not yet consumed, in one piece.
//
//   | done with | kept: a head in use | done with | unread | room |
//
// There is no memory while nothing is unread or kept, so an idle connection costs this object
// alone.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace weft::http {

class InputBuffer {
 public:
  // Gives room for at least so many bytes, behind those that are unread. These may move; what is
  // kept moves only when larger memory is needed, see kept().
  std::span<char> room(std::size_t least_bytes);
  // Precondition: so many bytes were written into room().
  void commit(std::size_t bytes) noexcept { end_ += bytes; }

  std::string_view unread() const noexcept { return {data_.get() + begin_, end_ - begin_}; }
  // Precondition of both: no more than are unread.
  void consume(std::size_t bytes) noexcept { begin_ += bytes; }
  // Consumes them too, but keeps them until drop_kept(): upon a head, while its body is read.
  void keep(std::size_t bytes) noexcept;
  void drop_kept() noexcept { kept_size_ = 0; }
  // Where the kept bytes are. After room() a RequestHead must be told: head.attach(kept().data()).
  std::string_view kept() const noexcept { return {data_.get() + kept_at_, kept_size_}; }
  std::size_t capacity() const noexcept { return capacity_; }

  // Gives the memory back if nothing is unread or kept. False: something is.
  bool release() noexcept;

 private:
  // Where unread bytes may begin.
  std::size_t floor() const noexcept { return kept_size_ == 0 ? 0 : kept_at_ + kept_size_; }
  void move_unread_to(char* data, std::size_t at) noexcept;
  void grow(std::size_t least_bytes);

  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
  std::size_t kept_at_ = 0;
  std::size_t kept_size_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace weft::http
