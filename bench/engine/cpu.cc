// SPDX-License-Identifier: Apache-2.0
// Work that never waits, cut into so many threads, on two CPUs.
#include "pinning.h"
#include "sides.h"
#include "timing.h"
#include "work.h"

namespace weft::engine {
namespace {

// In all; about 0.2 s on each of two CPUs.
constexpr std::uint64_t all_steps = 200'000'000;

// From before the first thread is made until the last one is joined.
template <class Side, unsigned threads>
Numbers measure(const Scale& scale) {
  pin_to_first(2);
  Side side(2);
  const std::uint64_t steps = scale.quick ? all_steps / 100 : all_steps;
  Team<Side> team(side);
  const auto begin = Clock::now();
  for (unsigned i = 0; i < threads; ++i) {
    team.start([=] { work(steps / threads); });
  }
  team.join();
  return {{"value", static_cast<double>(steps) / 1e6 / since<std::ratio<1>>(begin)}};
}

}  // namespace

Measurements cpu_measurements() {
  return {{"cpu_2.weft", measure<Weft, 2>},     {"cpu_2.nptl", measure<Nptl, 2>},
          {"cpu_16.weft", measure<Weft, 16>},   {"cpu_16.nptl", measure<Nptl, 16>},
          {"cpu_128.weft", measure<Weft, 128>}, {"cpu_128.nptl", measure<Nptl, 128>},
          {"cpu_512.weft", measure<Weft, 512>}, {"cpu_512.nptl", measure<Nptl, 512>}};
}

}  // namespace weft::engine
