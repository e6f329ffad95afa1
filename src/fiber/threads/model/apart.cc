// SPDX-License-Identifier: Apache-2.0
// The model has no table of descriptors to keep out of: what is asked for is done at once.
#include "fiber/apart.h"

namespace weft::fiber {

Apart::~Apart() = default;

void Apart::call(void (*function)(void*), void* argument) noexcept {
  function(argument);
}

}  // namespace weft::fiber
