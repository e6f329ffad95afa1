// SPDX-License-Identifier: Apache-2.0
// From stalls to a share.
#include "admission/pressure_control.h"

#include <algorithm>
#include <cmath>

namespace weft::admission {
namespace {

constexpr double low_only = 0.5;
constexpr double half_of_normal = 0.75;

// Anything as a share of time; none of what is no number.
std::optional<double> percent(double value) noexcept {
  if (std::isnan(value)) return std::nullopt;
  return std::clamp(value, 0.0, 100.0);
}

}  // namespace

void PressureControl::judge(Line& line, nanoseconds now, const std::optional<StallSample>& sample,
                            const PressureOptions::Range& range) const noexcept {
  const auto short_average = sample ? percent(sample->short_average) : std::nullopt;
  const auto long_average = sample ? percent(sample->long_average) : std::nullopt;
  if (!short_average || !long_average || (line.is_known && sample->total < line.total)) {
    line = {};
    return;
  }
  if (!line.is_known || sample->total > line.total) line.moved = now;
  const bool falls_fast =
      line.is_known && *short_average < options_.fast_fall_ratio * line.short_average;
  const bool is_stale = now - line.moved >= options_.stale_after;
  const double both = is_stale ? 0 : std::min(*short_average, *long_average);
  const bool holds_on = line.level > 0 && both >= options_.lets_go_ratio * range.begin;
  const double least = holds_on ? options_.least_level : 0;
  const double level = std::clamp((both - range.begin) / (range.end - range.begin), least, 1.0);
  line.level = falls_fast ? std::min(level, line.level) : level;
  line.is_known = true;
  line.short_average = *short_average;
  line.total = sample->total;
}

// As the kernel does it with stalls.
std::optional<StallSample> PressureControl::average_throttled(
    nanoseconds elapsed, const std::optional<double>& share) noexcept {
  if (!share || std::isnan(*share)) {
    throttled_short_ = throttled_long_ = 0;
    return std::nullopt;
  }
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const double now = 100 * std::clamp(*share, 0.0, 1.0);
  throttled_short_ += (now - throttled_short_) * (1 - std::exp(-seconds / 10));
  throttled_long_ += (now - throttled_long_) * (1 - std::exp(-seconds / 60));
  if (now > 0) ++throttled_total_;
  return StallSample{throttled_short_, throttled_long_, throttled_total_};
}

PressurePlan PressureControl::look(nanoseconds now, const PressureSample& sample,
                                   bool queue_sheds) noexcept {
  const nanoseconds elapsed =
      has_looked_ ? std::max(now - last_look_, nanoseconds{0}) : nanoseconds{0};
  if (!has_looked_) turned_ = now - options_.turns_after;
  has_looked_ = true;
  last_look_ = now;
  judge(memory_full_, now, sample.memory_full, options_.memory_full);
  judge(io_full_, now, sample.io_full, options_.io_full);
  judge(cpu_full_, now, sample.cpu_full, options_.cpu_full);
  judge(cpu_some_, now, sample.cpu_some, options_.cpu_some);
  judge(throttled_, now, average_throttled(elapsed, sample.throttled), options_.throttled);

  const double cpu = std::max(cpu_full_.level, queue_sheds ? cpu_some_.level : 0.0);
  double wanted = 0;
  Refusal reason = Refusal::none;
  const auto consider = [&](double level, double most, Refusal name) {
    if (level * most > wanted) {
      wanted = level * most;
      reason = name;
    }
  };
  consider(memory_full_.level, 1, Refusal::memory_pressure);
  consider(io_full_.level, half_of_normal, Refusal::io_pressure);
  consider(throttled_.level, low_only, Refusal::throttled);
  consider(cpu, low_only, Refusal::cpu_pressure);
  if (reason != Refusal::none) reason_ = reason;
  move(now, std::chrono::duration<double>(elapsed).count(), wanted);

  closes(sample.memory_full);
  return {.level = level_,
          .low_share = std::min(1.0, level_ / low_only),
          .normal_share = std::max(0.0, (level_ - low_only) / (1 - low_only)),
          .closed = closed_,
          .reason = closed_      ? Refusal::memory_pressure
                    : level_ > 0 ? reason_
                                 : Refusal::none};
}

// Rises as the level does, but has a way to fall before it ends.
void PressureControl::closes(const std::optional<StallSample>& memory) noexcept {
  const bool is_pressed = memory && memory_full_.is_known && memory_full_.level > 0;
  if (!is_pressed || memory_full_.short_average < options_.opens_below) {
    closed_ = false;
  } else if (memory_full_.short_average >= options_.closes_above &&
             memory->long_average >= options_.closes_above / 2) {
    closed_ = true;
  }
}

void PressureControl::move(nanoseconds now, double seconds, double wanted) noexcept {
  const double most_up = options_.rise_per_second * seconds;
  const double most_down = options_.fall_per_second * seconds;
  const double step = std::clamp(wanted - level_, -most_down, most_up);
  const int direction = step > 0 ? 1 : step < 0 ? -1 : 0;
  if (direction == 0) return;
  if (direction != direction_) {
    if (now - turned_ < options_.turns_after) return;
    turned_ = now;
    direction_ = direction;
  }
  level_ = std::clamp(level_ + step, 0.0, 1.0);
}

}  // namespace weft::admission
