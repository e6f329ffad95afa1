// SPDX-License-Identifier: Apache-2.0
// The CPUs that a test may run on.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <vector>

namespace weft::support {

// The CPUs that this process may run on, lowest first.
inline std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// The calling thread, and what it starts, runs on the first of its CPUs for as long as this lives.
class OnOneCpu {
 public:
  OnOneCpu() {
    EXPECT_EQ(::sched_getaffinity(0, sizeof before_, &before_), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(allowed_cpus().front()), &one);
    EXPECT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  }
  ~OnOneCpu() { EXPECT_EQ(::sched_setaffinity(0, sizeof before_, &before_), 0); }
  OnOneCpu(const OnOneCpu&) = delete;
  OnOneCpu& operator=(const OnOneCpu&) = delete;

 private:
  cpu_set_t before_{};
};

}  // namespace weft::support
