// SPDX-License-Identifier: Apache-2.0
// AwaitWord: what the line of a connection waits for, and whether somebody else may end that.
//
//   state     what happens                                     next state
//   nothing   the line: begin()                                request, or handshake
//   either    the line: end() says true                        nothing
//   either    whoever ends the server: try_end() says true     told
//   told      the line: end() says false                       nothing
//
// Invariant: a line that is told has taken nothing since its wait began, and nothing had come when
// that was asked. So no request that has begun is cut.
#pragma once

#include "base/atomic.h"

namespace weft::serve {

// What the end of a server does not wait for, or not for long.
enum class Awaits : unsigned char { nothing, request, handshake };

class AwaitWord {
 public:
  // For the line, before it waits. Pairs with what the end of the server says of itself: either
  // the line sees that, or the end sees what is awaited.
  void begin(Awaits awaited) noexcept { word_.store(static_cast<unsigned char>(awaited)); }
  // For the line, before it reads. False: it is told to end.
  bool end() noexcept {
    return word_.exchange(static_cast<unsigned char>(Awaits::nothing)) != told;
  }

  // For any other thread. has_nothing_to_read() says whether nothing has come; the line may have
  // taken it, which is why the word is looked at afterwards.
  template <class Function>
  bool try_end(Awaits awaited, Function has_nothing_to_read) noexcept {
    auto expected = static_cast<unsigned char>(awaited);
    if (word_.load() != expected || !has_nothing_to_read()) return false;
    return word_.compare_exchange_strong(expected, told);
  }

 private:
  static constexpr unsigned char told = 3;
  atomic<unsigned char> word_{static_cast<unsigned char>(Awaits::nothing)};
};

}  // namespace weft::serve
