// SPDX-License-Identifier: Apache-2.0
// The way in for libFuzzer.
#include <cstddef>
#include <cstdint>

#include "property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::try_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
