// SPDX-License-Identifier: Apache-2.0
// The CPUs that a server and its load are given.
#include "trial/cpus.h"

#include <sched.h>

#include "os/file.h"

namespace weft::trial {

base::Result<std::vector<int>> allowed_cpus(std::size_t most) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    return os::last_error("read", "the CPUs that may be used");
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < most; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace weft::trial
