// SPDX-License-Identifier: Apache-2.0
// One budget under observation.
#include "budget/observation.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "os/affinity.h"

namespace weft::budget {
namespace {

std::size_t count_unreadable(const Budget& budget) {
  const auto unreadable = [](const Candidate& candidate) {
    return candidate.verdict == Verdict::unreadable;
  };
  const auto& cpu = budget.cpu.candidates;
  const auto& memory = budget.memory.candidates;
  return static_cast<std::size_t>(std::count_if(cpu.begin(), cpu.end(), unreadable) +
                                  std::count_if(memory.begin(), memory.end(), unreadable));
}

std::uint64_t count_distinct(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return static_cast<std::uint64_t>(std::unique(names.begin(), names.end()) - names.begin());
}

std::optional<unsigned> count_cpus(pid_t process) {
  const auto cpus = os::count_affinity(process == 0 ? getpid() : process);
  return cpus ? std::optional<unsigned>(*cpus) : std::nullopt;
}

}  // namespace

std::shared_ptr<const Budget> Observation::start() {
  auto budget = settle();
  believe(*budget);
  return budget;
}

void Observation::believe(const Budget& budget) {
  unreadable_ = count_unreadable(budget);
  cores_ = budget.cpu.cores;
  memory_bytes_ = budget.memory.bytes;
}

std::shared_ptr<const Budget> Observation::settle() {
  Reading reading = read_with_footprint(query_);
  // Read, keep, read again: until what was kept is what the last reading came from; if it will not
  // come to rest, the next look reads everything.
  looks_ = looks_between_full_reads;
  for (int attempt = 0; attempt < 3 && looks_ != 0; ++attempt) {
    keep(reading);
    Reading again = read_with_footprint(query_);
    if (again.footprint.files == reading.footprint.files) looks_ = 0;
    reading = std::move(again);
  }
  return std::make_shared<const Budget>(std::move(reading.budget));
}

std::shared_ptr<const Budget> Observation::look() {
  if (++looks_ < looks_between_full_reads && !moved()) return nullptr;
  if (!Host(query_).process_exists()) return nullptr;
  ++full_reads_;
  auto budget = settle();
  const bool grows = budget->cpu.cores > cores_ || budget->memory.bytes > memory_bytes_;
  if (grows && count_unreadable(*budget) > unreadable_) {
    // A pool must not grow because a file could not be opened. The next look tries once more.
    looks_ = looks_between_full_reads;
    return nullptr;
  }
  believe(*budget);
  return budget;
}

bool Observation::moved() const {
  return files_.changed() || (affinity_cpus_ && count_cpus(query_.process) != affinity_cpus_);
}

void Observation::keep(const Reading& reading) {
  const Host host(query_);
  files_ = KeptFiles();
  if (host.may_use_proc()) files_.keep(host.local_path(host.process_file("cgroup")));
  for (const std::string& file : reading.footprint.files) files_.keep(host.local_path(file));
  const bool matters = host.is_here() && !reading.budget.cpu.pinned;
  affinity_cpus_ = matters ? count_cpus(query_.process) : std::nullopt;
  levels_ = 1 + count_distinct(reading.footprint.directories);
}

bool same_limits(const Budget& one, const Budget& other) {
  return one.cpu.cores == other.cpu.cores && one.cpu.where == other.cpu.where &&
         one.cpu.pinned == other.cpu.pinned && one.cpu.quota == other.cpu.quota &&
         one.memory.bytes == other.memory.bytes && one.memory.where == other.memory.where &&
         one.memory.throttled_above_bytes == other.memory.throttled_above_bytes;
}

}  // namespace weft::budget
