// SPDX-License-Identifier: Apache-2.0
// weft::load: what a server does to requests that do not wait for it.
//
// Open loop: the schedule says when each request is to start, whatever became of those before it.
// Latency counts from that intended start, so a server that stalls is charged for everybody who
// came meanwhile; a closed loop, in which each client waits for its answer, would leave them out
// (coordinated omission). Closed loop is for ceilings: how many requests a second at most.
//
//   intended -> begun (slip: ours) -> [free connection] -> [connected] -> sent -> first byte -> end
//
// Invariants: every request of the schedule has a sample, however it ended; nothing is sent twice;
// nothing is left out of the quantiles but what summary.h says. A thread owns its connections
// and its part of the samples alone, so there are no locks.
//
// Rejected: a thread or coroutine for each request. At the moment of a burst the generator would
// measure its own scheduler. Rejected, too: correcting a closed loop afterwards, by adding the
// requests that it would have sent; what was not sent did not load the server.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "load/sample.h"
#include "load/schedule.h"
#include "load/self_check.h"
#include "load/summary.h"

namespace weft::load {

struct Request {
  std::string url;    // http://host[:port]/path?query, or https
  double weight = 1;  // its share, among the others
  std::string method = "GET";
  std::vector<std::string> headers =
      {};  // "Name: value"; Host and Content-Length come by themselves
  std::string body = {};
};

struct Closed {
  unsigned connections = 64;
  nanoseconds duration{std::chrono::seconds{10}};
  std::uint64_t requests = 0;  // ends after so many, or after the duration; 0: the latter
};

struct Plan {
  std::vector<Request> requests;
  Schedule schedule;             // of an open loop
  std::optional<Closed> closed;  // where given, the schedule is not looked at

  unsigned threads = 1;
  unsigned most_connections = 1024;  // reached, a request waits, and that is latency
  unsigned ready_connections = 0;    // opened before the start, of the first endpoint
  bool new_connection_each = false;
  nanoseconds timeout{std::chrono::seconds{10}};  // from the intended start
  bool trusts_anybody = false;                    // TLS without looking at the certificate
  std::string authorities_file = {};              // who is trusted; empty: the system's

  std::vector<int> cpus = {};  // thread i is pinned to the CPU i of these, in turn; none: not
  bool spins = false;          // never sleeps between starts; wants a CPU of its own
  bool keeps_samples = true;   // of a closed loop; an open one always does
  // How long our cgroup has been throttled, ever; asked before and after.
  std::function<nanoseconds()> throttled = {};
};

struct Report {
  std::vector<Sample> samples;  // in the order of the schedule; of a closed loop, of their ends
  std::vector<Phase> phases;
  nanoseconds length{0};  // of the schedule, or of the closed loop as it went
  std::uint64_t seed = 0;
  bool was_stopped = false;
  unsigned connections = 0;  // that were opened in all
  Summary summary;
  Usage usage;
  SelfCheck check;
};

struct Progress {
  nanoseconds elapsed{0};
  nanoseconds length{0};
  std::uint64_t begun = 0;
  std::uint64_t ended = 0;
  std::uint64_t failed = 0;  // ended, and not good
};
// Called a few times a second on the caller's thread; false stops the run.
using Watcher = std::function<bool(const Progress&)>;

// An Error where the plan cannot be kept: a URL that is none, a name that cannot be resolved, more
// connections than descriptors, a CPU that is not ours. A server that does not answer is no Error.
base::Result<Report> run(const Plan& plan, const Watcher& watcher = {});

// How many samples may be kept: a quarter of the machine's memory.
std::size_t most_requests();

}  // namespace weft::load
