// SPDX-License-Identifier: Apache-2.0
// Bounds, and sentences about them.
#include "load/self_check.h"

#include <algorithm>

#include "base/text.h"

namespace weft::load {
namespace {

std::string percent(double share) {
  return base::to_text(share * 100, 1) + " %";
}

std::string milliseconds(nanoseconds time) {
  return base::to_text(std::chrono::duration<double, std::milli>(time).count(), 3) + " ms";
}

double share_of(nanoseconds part, nanoseconds whole) {
  if (whole <= nanoseconds{0}) return 0;
  return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

void check_throttling(const Usage& usage, SelfCheck& check) {
  if (usage.throttled <= nanoseconds{0}) return;
  check.void_because.push_back("its cgroup was throttled for " + milliseconds(usage.throttled) +
                               ": raise the CPU quota, or move the generator elsewhere");
}

}  // namespace

double work_share(const Usage& usage) noexcept {
  const nanoseconds work = std::max(usage.cpu - usage.spinning, nanoseconds{0});
  return share_of(work, usage.wall * usage.threads);
}

SelfCheck check_open_loop(nanoseconds slip_p99, nanoseconds latency_p99, const Usage& usage) {
  SelfCheck check;
  if (const double share = share_of(slip_p99, latency_p99); share > most_slip_share) {
    check.void_because.push_back(
        "the P99 of the slip, " + milliseconds(slip_p99) + ", is " + percent(share) +
        " of the P99 that was measured, and 5 % is the most: give the generator a CPU of its own "
        "(--cpu, --spin), or more threads");
  }
  if (const double share = work_share(usage); share > most_work_share) {
    check.void_because.push_back("the generator worked " + percent(share) +
                                 " of the time, and 80 % is the most: give it more threads and "
                                 "CPUs, or lower the rate");
  }
  check_throttling(usage, check);
  constexpr double much = 0.05;
  if (const double share = share_of(usage.waited, usage.wall * usage.threads); share > much) {
    check.notes.push_back("the generator was ready and waited for a CPU " + percent(share) +
                          " of the time");
  }
  return check;
}

SelfCheck check_closed_loop(const Usage& usage) {
  SelfCheck check;
  check_throttling(usage, check);
  if (const double share = work_share(usage); share > most_work_share) {
    check.notes.push_back("the generator worked " + percent(share) +
                          " of the time: this may be its own ceiling, not the server's");
  }
  return check;
}

}  // namespace weft::load
