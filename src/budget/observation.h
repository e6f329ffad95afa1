// SPDX-License-Identifier: Apache-2.0
// One budget under observation: what a watch looks at, and when it has to read everything anew.
//
// A look is cheap: each file that the last answer came from is kept open and read once more, as
// are the process's cgroup file and its affinity. Only when one of these differs is everything read
// anew, by the same code as ever, so there is no second opinion to keep in step. What a kept
// file cannot show (a controller that is enabled later, a new mount) a full read finds that comes
// once every `looks_between_full_reads` looks anyway.
//
// Invariant after settle(): a change that the newest budget does not contain will be seen by the
// next look, because the texts to compare with were taken before that budget was read.
// Rejected: inotify on the limit files; it does not report writes through another mount of the
// hierarchy, and that is where the kubelet and systemd write.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <weft/budget.h>

#include "budget/kept_files.h"
#include "budget/reading.h"

namespace weft::budget {

class Observation {
 public:
  explicit Observation(Query query) : query_(std::move(query)) {}

  // The first budget; once, before any look.
  std::shared_ptr<const Budget> start();

  // The budget read anew, when something has moved or it was time to; null when nothing has, or
  // when less could be seen than before (no descriptors left, a process that has ended).
  std::shared_ptr<const Budget> look();

  std::uint64_t levels() const noexcept { return levels_; }
  std::uint64_t descriptors() const noexcept { return files_.size(); }

 private:
  static constexpr unsigned looks_between_full_reads = 60;

  // Reads everything, and keeps open what a change would show up in.
  std::shared_ptr<const Budget> settle();
  bool moved() const;
  void keep(const Reading& reading);

  Query query_;
  KeptFiles files_;
  std::optional<unsigned> affinity_cpus_;  // none: does not matter for the answer
  std::uint64_t levels_ = 0;
  unsigned looks_ = 0;          // since the last full read
  std::size_t unreadable_ = 0;  // candidates of the last budget that was believed
};

// Whether two budgets say the same: limits and who sets them.
bool same_limits(const Budget& one, const Budget& other);

}  // namespace weft::budget
