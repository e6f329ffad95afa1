// SPDX-License-Identifier: Apache-2.0
// Calls of links over gRPC: messages as bytes of protobuf's wire format, metadata, and how long the
// client waits. Messages are written field by field, so that fields can be there twice, be of
// another type, be unknown, and hold what no API of protobuf would write.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "links/choices.h"

namespace weft::fuzz {

struct CallText {
  std::string method;  // "/package.Service/Method"
  std::vector<std::string> messages;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::optional<std::chrono::microseconds> time;  // none: as long as it takes
};

CallText call_text(Choices& choices);

}  // namespace weft::fuzz
