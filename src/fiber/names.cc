// SPDX-License-Identifier: Apache-2.0
// Places and kinds of waiting, in words.
#include "fiber/fiber.h"

namespace weft::fiber {

const char* name_of(ParkKind kind) noexcept {
  constexpr const char* names[park_kinds] = {"mutex", "condition", "rwlock", "semaphore", "barrier",
                                             "once",  "futex",     "join",   "sleep",     "read",
                                             "write", "poll",      "file",   "other"};
  const auto index = static_cast<std::size_t>(kind);
  return index < park_kinds ? names[index] : "?";
}

const char* name_of(Place place) noexcept {
  switch (place) {
    case Place::at_home:
      return "at home";
    case Place::ready:
      return "ready";
    case Place::running:
      return "running";
    case Place::parked:
      return "parked";
    case Place::going_home:
      return "going home";
    case Place::parked_home:
      return "parked at home";
    case Place::finished:
      return "finished";
    case Place::free:
      return "free";
  }
  return "?";
}

}  // namespace weft::fiber
