// SPDX-License-Identifier: Apache-2.0
// The table of scenarios, and the little arithmetic that says what is right in each.
#include "bench_budget_scenarios.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "os/file.h"

namespace weft::tool {
namespace {

using sandbox::Quota;

// Cores from two numbers of microseconds; none where there is no quota ("max", or -1).
std::optional<double> quotient(std::string_view quota_text, std::string_view period_text) {
  const auto quota = base::to_number<long>(base::trim(quota_text));
  const auto period = base::to_number<long>(base::trim(period_text));
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

// The quota that a cgroup directory sets, in either version's words.
std::optional<double> quota_of(const std::filesystem::path& directory) {
  if (const auto text = os::read_text(directory / "cpu.max")) {
    std::string_view rest = *text;
    const std::string_view quota = base::take_field(rest);
    return quotient(quota, rest);
  }
  const auto quota = os::read_text(directory / "cpu.cfs_quota_us");
  const auto period = os::read_text(directory / "cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  return quotient(*quota, *period);
}

base::Result<std::vector<int>> our_cpus() {
  // The kernel refuses a mask that is too small for its CPUs, so ask with larger ones.
  for (std::size_t count = 1024; count <= 1'048'576; count *= 2) {
    std::vector<cpu_set_t> mask(CPU_ALLOC_SIZE(count) / sizeof(cpu_set_t) + 1);
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) != 0) continue;
    std::vector<int> cpus;
    for (std::size_t cpu = 0; cpu < bytes * 8; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, mask.data())) cpus.push_back(static_cast<int>(cpu));
    }
    return cpus;
  }
  return os::last_error("read", "the CPU affinity of this process (sched_getaffinity)");
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> table = {
      {.name = "no quota"},
      {.name = "leaf 0.5", .leaf = Quota{0.5}},
      {.name = "leaf 1", .leaf = Quota{1}},
      {.name = "leaf 1.5", .leaf = Quota{1.5}},
      {.name = "leaf 2", .leaf = Quota{2}},
      {.name = "parent 1, leaf unlimited", .parent = Quota{1}},
      {.name = "grandparent 1 only", .grandparent = Quota{1}},
      {.name = "parent 2, leaf 1", .parent = Quota{2}, .leaf = Quota{1}},
      {.name = "affinity 1, quota 2", .leaf = Quota{2}, .cpus = 1},
      {.name = "affinity 2, quota 1", .leaf = Quota{1}, .cpus = 2},
      {.name = "CPU_LIMIT=1500m", .cpu_limit = CpuLimit{"1500m", 1.5}},
      {.name = "leaf 1, period 10 ms", .leaf = Quota{1, std::chrono::milliseconds(10)}},
  };
  return table;
}

Answer right_answer(const Scenario& scenario, const Host& host) {
  double cores = static_cast<double>(host.cpus.size());
  if (scenario.cpus > 0) cores = std::min(cores, static_cast<double>(scenario.cpus));
  if (host.quota_cores) cores = std::min(cores, *host.quota_cores);
  for (const auto& quota : {scenario.grandparent, scenario.parent, scenario.leaf}) {
    if (quota) cores = std::min(cores, quota->cores);
  }
  if (scenario.cpu_limit) cores = scenario.cpu_limit->cores;
  return {cores, static_cast<unsigned>(std::max(1.0, std::floor(cores)))};
}

bool refused(const Scenario& scenario, const Host& host) {
  if (host.cgroup_version != 1 || !host.quota_cores) return false;
  const auto looser = [&](const std::optional<Quota>& quota) {
    return quota && quota->cores > *host.quota_cores;
  };
  return looser(scenario.grandparent) || looser(scenario.parent) || looser(scenario.leaf);
}

std::vector<int> affinity(const Scenario& scenario, const Host& host) {
  std::vector<int> cpus = host.cpus;
  if (scenario.cpus == 0) return {};
  cpus.resize(std::min(cpus.size(), scenario.cpus));
  return cpus;
}

base::Result<Host> look_at_host() {
  // Where the groups will be is where one without a quota is.
  const auto probe = sandbox::Cgroup::create(std::nullopt);
  if (!probe) return probe.error();
  auto cpus = our_cpus();
  if (!cpus) return cpus.error();
  Host host;
  host.directory = std::filesystem::path(probe->directory()).parent_path().string();
  host.cgroup_version = probe->version();
  host.cpus = std::move(*cpus);
  host.quota_cores = quota_above(host.directory);
  return host;
}

std::optional<double> quota_above(const std::string& directory) {
  std::optional<double> smallest;
  for (std::filesystem::path level = directory; level.has_relative_path();
       level = level.parent_path()) {
    const auto quota = quota_of(level);
    if (quota) smallest = std::min(smallest.value_or(*quota), *quota);
  }
  return smallest;
}

base::Result<Nest> make_nest(const Scenario& scenario) {
  auto grandparent = sandbox::Cgroup::create(scenario.grandparent);
  if (!grandparent) return grandparent.error();
  auto parent = grandparent->create_child("parent", scenario.parent);
  if (!parent) return parent.error();
  auto leaf = parent->create_child("leaf", scenario.leaf);
  if (!leaf) return leaf.error();
  return Nest{std::move(*grandparent), std::move(*parent), std::move(*leaf)};
}

}  // namespace weft::tool
