// SPDX-License-Identifier: Apache-2.0
// Site: who answers which request.
#pragma once

#include <weft/admission.h>

#include <chrono>
#include <optional>

#include "serve/response.h"

namespace weft::serve {

class Site {
 public:
  virtual ~Site() = default;

  // Whether answer() is to be called when the head is there, without the body, which it may then
  // have read (Response::read_body()) or leave. Takes no time, and does not block.
  virtual bool streams_body(const http::RequestHead&) { return false; }
  // Of what a worker will answer, when there is too much of it. Takes no time, and does not block.
  virtual Priority priority_of(const http::RequestHead&) { return Priority::normal; }
  // Answers if that takes no time to speak of, and does not block: the caller is a reactor, and all
  // its connections wait. False: nothing was said, and answer() is called on a thread that may
  // wait.
  virtual bool answer_at_once(const Request& request, Response& response) = 0;
  // For a caller that need not hold a thread to wait: says everything, and how long it is to be
  // kept back. Nothing: nothing was said, and only answer() can.
  virtual std::optional<std::chrono::nanoseconds> answer_after_wait(const Request&, Response&) {
    return std::nullopt;
  }
  // What they throw is a 500.
  virtual void answer(const Request& request, Response& response) = 0;
};

}  // namespace weft::serve
