// SPDX-License-Identifier: Apache-2.0
// The memory budget: the limits along the path, the host's memory, and who wins.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "budget/candidates.h"
#include "budget/reading.h"
#include "os/affinity.h"

namespace weft::budget {
namespace {

std::string describe_bytes(double bytes) {
  constexpr double mebibyte = 1024.0 * 1024.0;
  return base::to_text(bytes / mebibyte) + " MiB";
}

Candidate read_host_memory(const Host& host) {
  Candidate candidate{"host memory", "/proc/meminfo", {}, Verdict::looser, {}};
  if (host.may_use_proc()) {
    const auto text = host.read(candidate.where);
    const auto kibibytes = text ? find_counter(*text, "MemTotal") : std::nullopt;
    if (kibibytes && *kibibytes > 0) {
      candidate.value = static_cast<double>(*kibibytes) * 1024;
      return candidate;
    }
    candidate.verdict = text ? Verdict::malformed : Verdict::unreadable;
    candidate.reason = text ? "has no MemTotal" : text.error().message;
  }
  const auto bytes = host.is_here() ? os::physical_memory_bytes() : std::nullopt;
  if (bytes) {
    candidate.where = "sysconf";
    candidate.value = static_cast<double>(*bytes);
    candidate.verdict = Verdict::looser;
    candidate.reason.clear();
  }
  return candidate;
}

Candidate read_level(const Host& host, const std::string& directory, int version,
                     Footprint& footprint) {
  const std::string source = version == 2 ? "cgroup v2 limit" : "cgroup v1 limit";
  const std::string where = directory + (version == 2 ? "/memory.max" : "/memory.limit_in_bytes");
  footprint.files.push_back(where);
  const auto text = host.read(where);
  if (!text) {
    return from_error(
        source, where, text.error(),
        "no limit can be set here: the root, or the memory controller is not enabled");
  }
  return from_limit(source, where, parse_memory_limit(*text), "no limit is set");
}

// v1 keeps the smallest limit above us in our own statistics, also those that we cannot see.
void read_hierarchical(const Host& host, const std::string& directory,
                       std::vector<Candidate>& candidates) {
  const std::string where = directory + "/memory.stat";
  const auto text = host.read(where);
  if (!text) return;
  const auto bytes = find_counter(*text, "hierarchical_memory_limit");
  if (!bytes) return;
  candidates.push_back(from_limit("cgroup v1 hierarchical limit", where,
                                  parse_memory_limit(std::to_string(*bytes)), "no limit is set"));
}

// Before Linux 5.11 a v1 cgroup could be told not to count what is below it.
bool counts_children(const Host& host, const std::string& directory) {
  const auto text = host.read(directory + "/memory.use_hierarchy");
  return !text || base::trim(*text) != "0";
}

// memory.high: above it the kernel slows us down and reclaims, long before the limit kills. It does
// not compete with the limits, so it stays out of the choice.
void read_high(const Host& host, const std::string& directory, Footprint& footprint,
               std::vector<Candidate>& highs) {
  const std::string where = directory + "/memory.high";
  const auto text = host.read(where);
  if (!text) return;
  footprint.files.push_back(where);
  highs.push_back(
      from_limit("cgroup v2 memory.high", where, parse_memory_limit(*text), "slows nothing down"));
}

// Adds the candidates of memory.high behind the others; the lowest counts where it is tighter.
void add_highs(std::vector<Candidate> highs, MemoryBudget& memory) {
  for (Candidate& high : highs) {
    if (high.value) {
      high.verdict = Verdict::throttles;
      high.reason = "above this one is slowed down";
      const auto bytes = static_cast<std::uint64_t>(*high.value);
      if (bytes < memory.throttled_above_bytes.value_or(memory.bytes)) {
        memory.throttled_above_bytes = bytes;
        memory.throttled_where = high.where;
      }
    }
    memory.candidates.push_back(std::move(high));
  }
}

}  // namespace

MemoryBudget read_memory(const Host& host, const CgroupView& view, std::vector<std::string>& notes,
                         Footprint& footprint) {
  MemoryBudget memory;
  std::vector<Candidate>& candidates = memory.candidates;
  std::vector<Candidate> highs;
  const Levels found = find_levels(host, view, "memory", footprint);
  if (found.obstacle) {
    candidates.push_back(*found.obstacle);
    candidates.back().source = "cgroup limit";
  }
  bool binds = true;
  for (const Level& level : found.levels) {
    Footprint ignored;
    Footprint& watched = level.can_change ? footprint : ignored;
    if (&level != &found.levels.front()) binds = binds && counts_children(host, level.directory);
    if (!binds) {
      candidates.push_back({"cgroup v1 limit",
                            level.directory + "/memory.use_hierarchy",
                            {},
                            Verdict::unlimited,
                            "does not count what is below it"});
      continue;
    }
    candidates.push_back(read_level(host, level.directory, found.version, watched));
    if (found.version == 2) read_high(host, level.directory, watched, highs);
  }
  if (found.version == 1) read_hierarchical(host, found.levels.front().directory, candidates);
  for (const std::string& note : found.notes) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
  candidates.push_back(read_host_memory(host));
  const Candidate* winner = choose_smallest(candidates, describe_bytes);
  if (winner == nullptr) {
    notes.emplace_back("the memory budget could not be learnt from any source");
    return memory;
  }
  memory.bytes = static_cast<std::uint64_t>(*winner->value);
  memory.source = winner->source;
  memory.where = winner->where;
  add_highs(std::move(highs), memory);
  return memory;
}

}  // namespace weft::budget
