// SPDX-License-Identifier: Apache-2.0
// Clocks, schedstat, affinity.
#include "load/thread_usage.h"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <ctime>
#include <string>
#include <string_view>

#include "base/text.h"
#include "os/broken_pipe.h"
#include "os/file.h"

namespace weft::load {

nanoseconds thread_cpu() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + nanoseconds{time.tv_nsec};
}

nanoseconds thread_waited() {
  const auto text = os::read_text("/proc/thread-self/schedstat");
  if (!text) return nanoseconds{0};
  std::string_view rest = *text;
  base::take_field(rest);  // the time on a CPU
  return nanoseconds{base::to_number<std::int64_t>(base::take_field(rest)).value_or(0)};
}

base::Status check_cpu(int cpu) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool is_known = sched_getaffinity(0, sizeof(allowed), &allowed) == 0;
  if (cpu >= 0 && cpu < CPU_SETSIZE && (!is_known || CPU_ISSET(cpu, &allowed))) return base::Done{};
  return base::Error{"CPU " + std::to_string(cpu) +
                     " is not among those this process may run on; see nproc and taskset -p"};
}

void set_up_thread(int cpu) noexcept {
  os::block_broken_pipe();
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

}  // namespace weft::load
