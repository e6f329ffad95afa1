// SPDX-License-Identifier: Apache-2.0
// weft::trial: other people's servers under load, natively or under weft, started, measured, ended.
//
// Words
//   server   a process in the background that answers on a Unix socket
//   load     the process that asks it, here sysbench
//   run      one life of a load: it connects, asks for a fixed time, and prints what it saw
//   window   the part of a run in which all connections are there and ask. What server and load
//            use of the machine is read at its two ends
//
// Rejected: CPU time from before the load connects until it has ended. With 1,024 connections, or
// with many statements to prepare, most of a short run is connecting, and a figure "for each query"
// would be that of something else.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "trial/sysbench.h"
#include "trial/usage.h"

namespace weft::trial {

struct LoadPlan {
  SysbenchPlan sysbench{};
  std::vector<std::string> launcher{};  // words before sysbench
  std::vector<int> cpus{};
  std::chrono::seconds duration{2};
  std::string log_path{};
};

// What a run has shown.
struct LoadedRun {
  SysbenchOutput output{};
  double window_seconds = 0;
  UsageBetween server{};
  CpuTime client{};

  double queries_in_window() const noexcept { return output.queries_a_second() * window_seconds; }
};

// Runs sysbench against a server to its end. The Error quotes what sysbench complained about, or
// says that a signal came.
base::Result<LoadedRun> load_server(const LoadPlan& plan, pid_t server);

}  // namespace weft::trial
