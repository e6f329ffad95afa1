// SPDX-License-Identifier: Apache-2.0
// PressureControl: what share to refuse by what the kernel says of stalls. A state machine of
// samples and time; it reads no clock and no file.
//
// As oomd has it: pressure rises when the long average and the short one are both above, and the
// short one is not falling fast; so the smaller of the two counts, which also makes it fall with
// the short one, sooner. What is shed for is shed for, a little, until three quarters of where that
// began, so that a reading that stays at the edge does not make it begin and end all the time. The
// share follows by a tenth in a second upwards and two tenths down, and turns round only some
// seconds after it last did.
//
// Nothing is known, nothing is refused: a file that is not there, a number that is none, averages
// that stand still while the sum does, and a sum that went back (the group's PSI was switched off
// and on) are all no pressure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <weft/admission.h>

namespace weft::admission {

using std::chrono::nanoseconds;

// One line of a pressure file, in percent.
struct StallSample {
  double short_average = 0;  // 10 s
  double long_average = 0;   // 60 s
  std::chrono::microseconds total{0};
};

struct PressureSample {
  std::optional<StallSample> cpu_some{};
  std::optional<StallSample> cpu_full{};  // of a cgroup; the system's is always zero
  std::optional<StallSample> memory_full{};
  std::optional<StallSample> io_full{};
  // Share of the enforcement periods since the last sample that ran out of quota, 0 to 1.
  std::optional<double> throttled{};
};

struct PressureOptions {
  // From where to where the level goes from 0 to 1, in percent.
  struct Range {
    double begin;
    double end;
  };
  Range memory_full{5, 40};
  Range io_full{40, 90};
  Range cpu_full{30, 90};
  Range cpu_some{60, 100};
  Range throttled{50, 100};
  double lets_go_ratio = 0.75;  // of where a range begins
  double least_level = 0.02;    // until there
  double closes_above = 40;     // memory: the short average, while the long one is above half of it
  double opens_below = 20;      // the short average
  double fast_fall_ratio = 0.85;  // of the short average to that of the sample before
  nanoseconds stale_after = std::chrono::seconds(5);  // the kernel averages every 2 s
  nanoseconds turns_after = std::chrono::seconds(3);
  double rise_per_second = 0.1;
  double fall_per_second = 0.2;
};

struct PressurePlan {
  double level = 0;  // up to 0.5 all of the low ones, from there up to 1 all of the others
  double low_share = 0;
  double normal_share = 0;
  bool closed = false;
  Refusal reason = Refusal::none;  // of the level
};

class PressureControl {
 public:
  explicit PressureControl(const PressureOptions& options = {}) noexcept : options_(options) {}

  // `queue_sheds`: the queue alone has said that there is overload.
  PressurePlan look(nanoseconds now, const PressureSample& sample, bool queue_sheds) noexcept;

 private:
  // What is remembered of one line.
  struct Line {
    bool is_known = false;
    double short_average = 0;
    std::chrono::microseconds total{0};
    nanoseconds moved{0};
    double level = 0;
  };
  void judge(Line& line, nanoseconds now, const std::optional<StallSample>& sample,
             const PressureOptions::Range& range) const noexcept;
  std::optional<StallSample> average_throttled(nanoseconds elapsed,
                                               const std::optional<double>& share) noexcept;
  void closes(const std::optional<StallSample>& memory) noexcept;
  void move(nanoseconds now, double seconds, double wanted) noexcept;

  PressureOptions options_;
  bool has_looked_ = false;
  nanoseconds last_look_{0};
  Line cpu_some_, cpu_full_, memory_full_, io_full_, throttled_;
  double throttled_short_ = 0;
  double throttled_long_ = 0;
  std::chrono::microseconds throttled_total_{0};
  bool closed_ = false;
  double level_ = 0;
  int direction_ = 0;  // of the last move
  nanoseconds turned_{0};
  Refusal reason_ = Refusal::none;
};

}  // namespace weft::admission
