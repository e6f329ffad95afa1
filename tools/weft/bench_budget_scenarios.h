// SPDX-License-Identifier: Apache-2.0
// The situations in which a program is asked how many CPUs it owns, and what is the right answer.
//
// The right answer is worked out here from what was set, not by weft::budget: the smallest of the
// affinity and of the quotas of all levels, unless CPU_LIMIT pins it. Threads are the whole CPUs in
// that, at least one: a thread more than that is what the quota throttles everybody for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/cgroup.h"

namespace weft::tool {

struct CpuLimit {
  const char* text;  // as in the environment
  double cores;
};

// Three cgroups, one in the other, and a program in the leaf.
struct Scenario {
  const char* name;
  std::optional<sandbox::Quota> grandparent{};
  std::optional<sandbox::Quota> parent{};
  std::optional<sandbox::Quota> leaf{};
  std::size_t cpus = 0;  // affinity: so many of ours; 0: all of them
  std::optional<CpuLimit> cpu_limit{};
};

const std::vector<Scenario>& scenarios();

// Where the scenarios' cgroups are made, and what limits them already.
struct Host {
  std::string directory;
  int cgroup_version = 1;
  std::vector<int> cpus;              // affinity
  std::optional<double> quota_cores;  // the smallest quota of the directory and of those above it
};

struct Answer {
  double cores = 0;
  unsigned threads = 0;
};

Answer right_answer(const Scenario& scenario, const Host& host);

// Whether cgroup v1 would refuse the scenario: one of its quotas is looser than the host's.
bool refused(const Scenario& scenario, const Host& host);

// The affinity of a program in this scenario; empty: as ours.
std::vector<int> affinity(const Scenario& scenario, const Host& host);

// Finds out about this host. The Error says why no cgroup can be made here.
base::Result<Host> look_at_host();

// The smallest quota of a cgroup's directory and of those above it.
std::optional<double> quota_above(const std::string& directory);

// Members go in the reverse order, and so the leaf goes first.
struct Nest {
  sandbox::Cgroup grandparent;
  sandbox::Cgroup parent;
  sandbox::Cgroup leaf;
};

base::Result<Nest> make_nest(const Scenario& scenario);

}  // namespace weft::tool
