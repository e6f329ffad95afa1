// SPDX-License-Identifier: Apache-2.0
// Requests to links over HTTP, as bytes.
#pragma once

#include <string>

#include "links/choices.h"

namespace weft::fuzz {

struct RequestText {
  std::string bytes;
  // Set where nothing in method, target and fields can be misread: then this, and no more, is what
  // must come out at the other end.
  bool is_proper = true;
  std::string method;
  std::string target;
  std::string body;
};

RequestText request_text(Choices& choices);

}  // namespace weft::fuzz
