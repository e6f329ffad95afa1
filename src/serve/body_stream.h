// SPDX-License-Identifier: Apache-2.0
// BodySource and BodySink: bodies that are not there as a whole. See DESIGN.md.
//
// They are called by one thread at a time, not always the same one, where they may wait: a worker,
// or the connection's own thread or fiber. They are destroyed on any thread, where that must take
// no time. The request is gone by then: what they need of it, they have copied.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace weft::serve {

class Response;

// Where the body of a response comes from.
class BodySource {
 public:
  virtual ~BodySource() = default;

  // Writes the next bytes into the room, and says how many; 0: that was all. Asked when the peer
  // has taken what was said before. What it throws ends the connection, and the peer sees that the
  // body is not whole.
  virtual std::size_t produce(std::span<char> room) = 0;
};

// Where the body of a request goes.
class BodySink {
 public:
  virtual ~BodySink() = default;

  // Takes the next piece. False: the rest is not wanted, and answer() is called at once.
  virtual bool take(std::string_view piece) = 0;
  // Says what is answered. It is never called for a body that did not come whole, or was refused:
  // then the sink is destroyed.
  virtual void answer(Response& response) = 0;
};

}  // namespace weft::serve
