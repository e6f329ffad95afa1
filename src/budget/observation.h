// SPDX-License-Identifier: Apache-2.0
// One budget under observation: what a watch looks at, and when it has to read everything anew.
//
// A look is cheap: each file that the last answer came from is kept open and read once more, as
// are the process's cgroup file and its affinity. Only when one of these differs is everything read
// anew, by the same code as ever, so there is no second opinion to keep in step. A limit file that
// is not there is asked for as well, so that a controller enabled later is noticed. What no file
// can show (a new mount) a full read finds that comes once every `looks_between_full_reads` looks.
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

  // The budget read anew, when something has moved or it was time to; null when nothing has, when
  // the process has ended, or when less could be seen than before (no descriptors left) and the
  // budget would grow by it.
  std::shared_ptr<const Budget> look();

  std::uint64_t full_reads() const noexcept { return full_reads_; }
  std::uint64_t levels() const noexcept { return levels_; }
  std::uint64_t descriptors() const noexcept { return files_.size(); }

 private:
  static constexpr unsigned looks_between_full_reads = 60;

  // Reads everything, and keeps open what a change would show up in.
  std::shared_ptr<const Budget> settle();
  bool moved() const;
  void believe(const Budget& budget);
  void keep(const Reading& reading);

  Query query_;
  KeptFiles files_;
  std::optional<unsigned> affinity_cpus_;  // none: does not matter for the answer
  std::uint64_t levels_ = 0;
  unsigned looks_ = 0;  // since the last full read
  std::uint64_t full_reads_ = 0;
  // Of the last budget that was believed:
  std::size_t unreadable_ = 0;  // candidates
  double cores_ = 0;
  std::uint64_t memory_bytes_ = 0;
};

// Whether two budgets say the same: limits and who sets them.
bool same_limits(const Budget& one, const Budget& other);

}  // namespace weft::budget
