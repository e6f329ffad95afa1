// SPDX-License-Identifier: Apache-2.0
// The long form of the stress: engine_stress mix WORKERS FIBERS SEED, or pingpong WORKERS ROUNDS.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "stress/mixed.h"

namespace {

int usage() {
  std::fputs(
      "usage: engine_stress mix WORKERS FIBERS SEED\n"
      "       engine_stress pingpong WORKERS ROUNDS\n",
      stderr);
  return 2;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) return usage();
  const std::string_view what = arguments[1];
  const auto number = [&](int index) { return std::strtoull(arguments[index], nullptr, 10); };
  if (what == "mix" && count == 5) {
    weft::stress::run_mix({.workers = static_cast<std::uint32_t>(number(2)),
                           .fibers = static_cast<std::uint32_t>(number(3)),
                           .seed = number(4)});
  } else if (what == "pingpong" && count == 4) {
    weft::stress::run_ping_pong(static_cast<std::uint32_t>(number(2)), number(3), false);
  } else {
    return usage();
  }
  return 0;
}
