// SPDX-License-Identifier: Apache-2.0
// Built without Boost.Fiber.
#include <stdexcept>

#include "boost_fibers.h"

namespace links {

bool has_boost_fibers() noexcept {
  return false;
}

std::unique_ptr<Model> make_boost_fibers(weft::Pool&) {
  throw std::invalid_argument("this was built without Boost.Fiber (libboost-fiber1.81-dev)");
}

}  // namespace links
