// SPDX-License-Identifier: Apache-2.0
// Work that needs nothing but a CPU: registers only, no memory, no system calls.
#include "work.h"

#include <algorithm>
#include <ctime>

namespace weft::demo {
namespace {

std::chrono::nanoseconds thread_cpu_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

void compute(std::uint64_t iterations) noexcept {
  std::uint64_t state = 88'172'645'463'325'252ULL;  // xorshift: each step needs the one before
  for (std::uint64_t step = 0; step < iterations; ++step) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  volatile std::uint64_t result = state;  // somebody might look: so it has to be computed
  (void)result;
}

std::uint64_t calibrate(std::chrono::microseconds target) {
  constexpr std::uint64_t probe_iterations = 1'000'000;
  constexpr int tries = 9;
  std::chrono::nanoseconds fastest = std::chrono::nanoseconds::max();
  for (int attempt = 0; attempt < tries; ++attempt) {
    const auto before = thread_cpu_time();
    compute(probe_iterations);
    fastest = std::min(fastest, thread_cpu_time() - before);
  }
  const double share = static_cast<double>(std::chrono::nanoseconds(target).count()) /
                       static_cast<double>(std::max(fastest, std::chrono::nanoseconds(1)).count());
  return static_cast<std::uint64_t>(share * static_cast<double>(probe_iterations));
}

}  // namespace weft::demo
