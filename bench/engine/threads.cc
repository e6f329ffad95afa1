// SPDX-License-Identifier: Apache-2.0
// A thread that makes another one and joins it, again and again.
#include "pinning.h"
#include "sides.h"
#include "timing.h"

namespace weft::engine {
namespace {

void* do_nothing(void* argument) {
  return argument;
}

template <class Side>
Numbers measure(const Scale& scale) {
  pin_to_first(2);
  Side side(2);
  double each = 0;
  Team<Side> maker(side);
  maker.start([&] {
    each = nanoseconds_each(scale.time(100), 50, [&](std::uint64_t count) {
      for (std::uint64_t i = 0; i < count; ++i) side.join(side.start(do_nothing, nullptr));
    });
  });
  maker.join();
  return {{"value", each / 1000}};  // microseconds
}

}  // namespace

Measurements thread_measurements() {
  return {{"create_join.weft", measure<Weft>}, {"create_join.nptl", measure<Nptl>}};
}

}  // namespace weft::engine
