// SPDX-License-Identifier: Apache-2.0
// Site: who answers which request.
#pragma once

#include "serve/response.h"

namespace weft::serve {

class Site {
 public:
  virtual ~Site() = default;

  // Answers if that takes no time to speak of, and does not block: the caller is a reactor, and all
  // its connections wait. False: nothing was said, and answer() is called on a thread that may
  // wait.
  virtual bool answer_at_once(const Request& request, Response& response) = 0;
  // What it throws is a 500.
  virtual void answer(const Request& request, Response& response) = 0;
};

}  // namespace weft::serve
