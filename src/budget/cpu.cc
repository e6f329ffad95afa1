// SPDX-License-Identifier: Apache-2.0
// The CPU budget: the pin, the quotas along the path, the affinity, and who wins.
#include <unistd.h>

#include <cmath>

#include "base/text.h"
#include "budget/candidates.h"
#include "budget/cpu_limit.h"
#include "budget/cpu_mask.h"
#include "budget/reading.h"
#include "os/affinity.h"

namespace weft::budget {
namespace {

constexpr const char* pin_variable = "CPU_LIMIT";

std::string describe_cores(double cores) {
  return base::to_text(cores) + (cores == 1 ? " core" : " cores");
}

Candidate read_pin(const Host& host) {
  Candidate candidate{pin_variable, pin_variable, {}, Verdict::absent, "not set"};
  const auto text = host.variable(pin_variable);
  if (!text) {
    candidate.verdict = Verdict::unreadable;
    candidate.reason = text.error().message;
  } else if (*text) {
    const auto cores = parse_cpu_limit(**text);
    candidate.verdict = cores ? Verdict::chosen : Verdict::malformed;
    candidate.reason = cores ? "set by whoever started us: a pin" : cores.error().message;
    if (cores) candidate.value = *cores;
  }
  return candidate;
}

Candidate read_quota_v2(const Host& host, const std::string& directory, Footprint& footprint) {
  const std::string where = directory + "/cpu.max";
  footprint.files.push_back(where);
  const auto text = host.read(where);
  if (!text) {
    return from_error("cgroup v2 quota", where, text.error(),
                      "no quota can be set here: the root, or the cpu controller is not enabled");
  }
  return from_limit("cgroup v2 quota", where, parse_cpu_max(*text), "no quota is set");
}

Candidate read_quota_v1(const Host& host, const std::string& directory, Footprint& footprint) {
  const std::string where = directory + "/cpu.cfs_quota_us";
  footprint.files.push_back(where);
  const auto quota = host.read(where);
  if (!quota) {
    return from_error("cgroup v1 quota", where, quota.error(),
                      "no quota can be set here: a kernel without CFS bandwidth control, or the "
                      "directory is gone");
  }
  const std::string period_where = directory + "/cpu.cfs_period_us";
  const auto period = host.read(period_where);
  if (period) footprint.files.push_back(period_where);
  return from_limit("cgroup v1 quota", where, parse_cfs_quota(*quota, period ? *period : "missing"),
                    "no quota is set");
}

// Of the candidate that was chosen, if it is a quota. Without a period of its own it has none.
std::optional<CpuQuota> quota_of(const Host& host, const Candidate& chosen) {
  const bool is_v2 = chosen.where.ends_with("/cpu.max");
  if (!is_v2 && !chosen.where.ends_with("/cpu.cfs_quota_us")) return std::nullopt;
  const std::string directory = chosen.where.substr(0, chosen.where.rfind('/'));
  const auto text = host.read(is_v2 ? chosen.where : directory + "/cpu.cfs_period_us");
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  if (is_v2) base::take_field(rest);  // the quota
  const auto period = base::to_number<std::uint32_t>(base::take_field(rest));
  if (!period || *period == 0) return std::nullopt;
  const std::chrono::microseconds length(*period);
  return CpuQuota{.time = std::chrono::nanoseconds(std::llround(*chosen.value * 1e3 * *period)),
                  .period = length,
                  .stat = directory + "/cpu.stat"};
}

// Adds a candidate for every level, or one that says why there are none.
void read_quotas(const Host& host, const CgroupView& view, std::vector<Candidate>& candidates,
                 std::vector<std::string>& notes, Footprint& footprint) {
  const Levels found = find_levels(host, view, "cpu", footprint);
  notes.insert(notes.end(), found.notes.begin(), found.notes.end());
  if (found.obstacle) {
    candidates.push_back(*found.obstacle);
    candidates.back().source = "cgroup quota";
  }
  bool limited = false;
  for (const Level& level : found.levels) {
    Footprint ignored;
    Footprint& watched = level.can_change ? footprint : ignored;
    candidates.push_back(found.version == 2 ? read_quota_v2(host, level.directory, watched)
                                            : read_quota_v1(host, level.directory, watched));
    limited = limited || candidates.back().value.has_value();
  }
  if (!limited && found.version != 0 && !found.sees_all) {
    notes.push_back(std::string(view.in_namespace ? "we are in a cgroup namespace"
                                                  : "only a part of the cgroups is mounted here") +
                    " and no quota is visible; if one is set above what we see, pass it on as "
                    "CPU_LIMIT");
  }
}

// What is behind a key at the beginning of a line; a process may be named like the key.
std::string_view find_line(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = base::take_until(text, '\n');
    if (line.starts_with(key)) return line.substr(key.size());
  }
  return {};
}

}  // namespace

Candidate read_affinity(const Host& host) {
  Candidate candidate{"affinity", "sched_getaffinity", {}, Verdict::looser, {}};
  if (host.is_here()) {
    // The first thread's mask also when another thread asks: a budget belongs to the process.
    const auto cpus = os::count_affinity(host.process() == 0 ? getpid() : host.process());
    if (cpus && *cpus > 0) {
      candidate.value = *cpus;
      return candidate;
    }
    candidate.verdict = Verdict::unreadable;
    candidate.reason = cpus ? "an empty mask" : cpus.error().message;
    if (!host.may_use_proc()) return candidate;
  }
  candidate.where = host.process_file("status");
  const auto status = host.read(candidate.where);
  if (!status) {
    candidate.verdict = Verdict::unreadable;
    candidate.reason = status.error().message;
    return candidate;
  }
  const auto mask = parse_cpu_mask(find_line(*status, "Cpus_allowed:"));
  // The file also names CPUs that are not there; the online ones are what the kernel would use.
  // Where none is in both, lxcfs has given the online ones other numbers, and the mask stands.
  const auto online_text = host.read("/sys/devices/system/cpu/online");
  const auto online = parse_cpu_list(online_text ? *online_text : "");
  unsigned cpus = mask && online ? count_common(*mask, *online) : 0;
  if (mask && cpus == 0) cpus = count_common(*mask, {});
  if (cpus == 0) {
    candidate.verdict = Verdict::malformed;
    candidate.reason = mask ? "an empty mask" : mask.error().message;
    return candidate;
  }
  candidate.verdict = Verdict::looser;
  candidate.reason.clear();
  candidate.value = cpus;
  return candidate;
}

unsigned threads_for(double cores) noexcept {
  if (!(cores > 1)) return 1;
  constexpr double most = 1e6;
  return static_cast<unsigned>(std::floor(cores < most ? cores : most));
}

unsigned threads_within(const CpuBudget& cpu) noexcept {
  return cpu.quota ? threads_for(std::ceil(cpu.cores)) : cpu.threads;
}

CpuBudget read_cpu(const Host& host, const CgroupView& view, std::vector<std::string>& notes,
                   Footprint& footprint) {
  CpuBudget cpu;
  const Candidate pin = read_pin(host);
  std::vector<Candidate> limits;
  read_quotas(host, view, limits, notes, footprint);
  limits.push_back(read_affinity(host));
  const Candidate* winner = choose_smallest(limits, describe_cores);
  cpu.pinned = pin.value.has_value();
  if (cpu.pinned) {
    if (winner != nullptr && *pin.value > *winner->value) {
      notes.push_back("CPU_LIMIT pins " + describe_cores(*pin.value) + ", but " + winner->source +
                      " allows only " + describe_cores(*winner->value) + " (" + winner->where +
                      "): expect to be slowed down" +
                      (*pin.value >= 100 ? "; thousandths of a core are written 1500m" : ""));
    }
    for (Candidate& candidate : limits) {
      if (!candidate.value) continue;
      candidate.verdict = Verdict::overridden;
      candidate.reason = "CPU_LIMIT pins";
    }
    winner = &pin;
  }
  if (winner == nullptr) {
    limits.push_back({"assumed", "-", 1.0, Verdict::chosen, "nothing could be learnt"});
    winner = &limits.back();
    notes.emplace_back(
        "the CPU budget could not be learnt from any source, so one CPU is assumed: set CPU_LIMIT");
  }
  cpu.cores = *winner->value;
  cpu.threads = threads_for(cpu.cores);
  cpu.source = winner->source;
  cpu.where = winner->where;
  cpu.quota = quota_of(host, *winner);
  cpu.candidates.reserve(limits.size() + 1);
  cpu.candidates.push_back(pin);
  for (Candidate& candidate : limits) cpu.candidates.push_back(std::move(candidate));
  return cpu;
}

}  // namespace weft::budget
