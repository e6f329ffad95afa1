// SPDX-License-Identifier: Apache-2.0
// Reads what a Ration wants to know.
#include "pool/ration_meter.h"

#include <time.h>

#include <array>
#include <string_view>
#include <utility>

#include "budget/cgroup_values.h"

namespace weft::pool {
namespace {

nanoseconds cpu_time_of_process() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

os::Descriptor open_stat(const std::string& path) {
  auto file = os::open_to_read(path);
  return file ? std::move(file).value() : os::Descriptor();
}

}  // namespace

RationMeter::RationMeter(const budget::CpuQuota& quota)
    : stat_(open_stat(quota.stat)), clock_(quota.period), ration_(quota.time, quota.period) {}

void RationMeter::read_count(os::Instant now) {
  std::array<char, 1024> buffer;
  const auto length = os::read_again(stat_, buffer);
  const os::Instant after = os::MonotonicClock::now();
  if (!length) return;
  const std::string_view text(buffer.data(), *length);
  const auto periods = budget::find_counter(text, "nr_periods");
  if (!periods) return;
  const std::uint64_t throttled = budget::find_counter(text, "nr_throttled").value_or(throttled_);
  clock_.observe(now.time_since_epoch(), after.time_since_epoch(), *periods,
                 throttled != throttled_);
  throttled_ = throttled;
}

RationAnswer RationMeter::look(os::Instant now, std::uint32_t running, std::uint64_t done,
                               std::uint32_t cpus) {
  if (stat_.valid() && clock_.wants_count(now.time_since_epoch())) read_count(now);
  RationLook look{.now = now.time_since_epoch(),
                  .began = std::nullopt,
                  .used = cpu_time_of_process(),
                  .running = running,
                  .done = done,
                  .throttled = throttled_,
                  .cpus = cpus};
  if (clock_.is_known()) look.began = clock_.begin_of(look.now);
  return ration_.look(look);
}

}  // namespace weft::pool
