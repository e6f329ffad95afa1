// SPDX-License-Identifier: Apache-2.0
// The smallest program on weft::budget: what do we own, and who says so.
#include <cstdio>

#include <weft/budget.h>

int main() {
  const weft::budget::Budget budget = weft::budget::read();
  std::printf("%g cores from %s: a pool of %u threads\n", budget.cpu.cores,
              budget.cpu.source.c_str(), budget.cpu.threads);
}
