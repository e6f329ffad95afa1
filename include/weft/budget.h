// SPDX-License-Identifier: Apache-2.0
// weft::budget: how many CPUs and how much memory does this process own, and who says so.
//
//   weft::budget::Budget budget = weft::budget::read();
//   start_pool(budget.sizes.cpu_pool_threads.value);
//
// The CPU budget is CPU_LIMIT when it is set (a pin: nothing else is asked and nothing is watched);
// otherwise it is the smaller of the affinity mask and the cgroup quota, where the quota is the
// smallest along the whole path from our cgroup to the root, on cgroup v1, v2 and hybrid hosts.
// Memory likewise. Every answer names its source and lists every candidate with why it lost.
//
// Nothing here throws (but std::bad_alloc) or fails on a strange host: what could not be learnt is
// said in the candidates and in `notes`, and the answer comes from the next source.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::budget {

// What became of a candidate.
enum class Verdict {
  chosen,      // this is the answer
  looser,      // names a limit, but another one is as tight or tighter
  overridden,  // names a limit, but CPU_LIMIT is a pin
  throttles,   // memory.high: no limit, but above it one is slowed down
  unlimited,   // was read, and names no limit
  absent,      // is not there, which is normal: not set, not mounted, not delegated
  unreadable,  // is there, and could not be read
  malformed,   // was read, and makes no sense
};

// The verdict as a word: "chosen", "looser", …
const char* to_string(Verdict verdict) noexcept;

// One place that was asked for a limit.
struct Candidate {
  std::string source;           // "CPU_LIMIT", "affinity", "cgroup v2 quota", …
  std::string where;            // the variable, system call or file
  std::optional<double> value;  // cores or bytes; none where no limit is named
  Verdict verdict = Verdict::absent;
  std::string reason;  // one clause for people: why it won or lost
};

// What the kernel gives all threads of a cgroup together. Once it is used up, all of them stand
// still until the next period.
struct CpuQuota {
  std::chrono::nanoseconds time{0};    // of CPUs
  std::chrono::nanoseconds period{0};  // in each such period
  std::string stat;                    // the cpu.stat that counts the periods

  friend bool operator==(const CpuQuota&, const CpuQuota&) = default;
};

struct CpuBudget {
  double cores = 1;      // what we may use, in CPUs; 0.5 and 1.5 are common
  unsigned threads = 1;  // runnable threads that fit: below one core 1, above it rounded down
  std::string source;    // of the candidate that was chosen
  std::string where;
  bool pinned = false;            // CPU_LIMIT said so: does not follow the cgroup
  std::optional<CpuQuota> quota;  // where that is what was chosen
  std::vector<Candidate> candidates;
};

struct MemoryBudget {
  std::uint64_t bytes = 0;  // the hard limit; the host's memory where there is none; 0: unknown
  std::optional<std::uint64_t> throttled_above_bytes;  // memory.high, where it is tighter
  std::string throttled_where;                         // the file that says so
  std::string source;
  std::string where;
  std::vector<Candidate> candidates;
};

// A number to configure something with, and the rule that gave it.
struct Size {
  std::uint64_t value = 0;
  std::string rule;
};

// What follows from the budget for a server.
struct Sizes {
  Size cpu_pool_threads;        // for work that computes
  Size io_pool_threads;         // for work that blocks
  Size malloc_arenas;           // for M_ARENA_MAX
  Size stack_budget_bytes;      // for all thread stacks together
  Size stack_bytes_per_thread;  // for a thread of one of the two pools
};

// Where to look. The default is this process on this host.
struct Query {
  // Prefix of every path: a directory that holds another host's /proc and /sys. With a root other
  // than "/" no system call is asked about this host.
  std::string root = "/";
  // Another process; 0 is this one.
  pid_t process = 0;
  // The environment to find CPU_LIMIT in; by default that of the process.
  std::optional<std::vector<std::pair<std::string, std::string>>> environment;
  // false: do not touch /proc and /sys at all (confined processes, where the attempt is logged).
  bool cgroups = true;
};

struct Budget {
  CpuBudget cpu;
  MemoryBudget memory;
  Sizes sizes;
  std::vector<std::string>
      notes;  // what a person should know: what could not be seen, and what to do
};

// Reads everything anew; well below a millisecond on an ordinary host.
Budget read(const Query& query = {});

// The pool sizes that follow from a budget.
Sizes sizes_for(const CpuBudget& cpu, const MemoryBudget& memory);

// Threads that fit in a budget of `cores`: below one core 1, above it rounded down.
unsigned threads_for(double cores) noexcept;

// The same for who stops by itself before a quota does (weft::Pool): a part of a core is used, too.
unsigned threads_within(const CpuBudget& cpu) noexcept;

}  // namespace weft::budget
