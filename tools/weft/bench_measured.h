// SPDX-License-Identifier: Apache-2.0
// Processes under measurement: where they are, what they use, and when they are ready.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "trial/background_process.h"

namespace weft::tool {

// The program of that name beside this one, in a folder of the build tree ("bench/grpc"), or in
// PATH.
base::Result<std::string> find_measuring_program(const std::string& name,
                                                 const std::string& folder);

struct MeasuringCpus {
  int server = 0;
  int generator = 1;
};
// The first two that we may run on.
base::Result<MeasuringCpus> choose_measuring_cpus();

// Until `is_ready` says so. The Error says that it has ended, or takes too long, with its last
// words.
base::Status wait_until_ready(const trial::BackgroundProcess& process,
                              const std::function<bool()>& is_ready);

// CPU time of a process so far; 0 where it is gone.
double cpu_seconds_of(pid_t process);
// Its share of what it shares (PSS), in bytes; 0 where it is gone.
double memory_bytes_of(pid_t process);

// How much of one CPU processes used between two moments.
class CpuShares {
 public:
  explicit CpuShares(std::vector<pid_t> processes);
  std::vector<double> read() const;  // since it was made, in their order

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<pid_t> processes_;
  std::vector<double> before_;
  Clock::time_point begun_;
};

// Sleeps, unless a signal comes.
base::Status sleep_through(std::chrono::milliseconds duration);

}  // namespace weft::tool
