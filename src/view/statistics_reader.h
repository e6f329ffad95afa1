// SPDX-License-Identifier: Apache-2.0
// StatisticsReader: the page of statistics that the engine of another process writes.
//
// The file is read and not mapped: whoever owns it may cut it short at any time, which would end a
// process that has mapped it. What it says is checked, too: no count is larger than its table, no
// name is without an end.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/result.h"
#include "os/file.h"
#include "sched/statistics.h"

namespace weft::view {

class StatisticsReader {
 public:
  // An error where the process has no page, is gone, or writes another version.
  static base::Result<StatisticsReader> open(pid_t process_id,
                                             const std::string& folder = sched::statistics_folder);

  // A snapshot in itself consistent. False: there is none, because the file was cut short, or the
  // process stopped while it wrote.
  bool read(sched::StatisticsSnapshot& snapshot) const;

  // Whether the process that wrote it is still there.
  bool process_lives() const;

 private:
  StatisticsReader(pid_t process_id, std::uint64_t start_time_ticks, os::Descriptor file) noexcept
      : process_id_(process_id), start_time_ticks_(start_time_ticks), file_(std::move(file)) {}

  pid_t process_id_;
  std::uint64_t start_time_ticks_;
  os::Descriptor file_;
};

}  // namespace weft::view
