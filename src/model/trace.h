// SPDX-License-Identifier: Apache-2.0
// Trace: what each step of a schedule did, kept as numbers and written as text when it has failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/atomic_scheduler.h"
#include "model/strategy.h"

namespace weft::model {

// Atomics and pointers go by the order in which the schedule meets them ("a0", "p2"), so that the
// same schedule gives the same text wherever memory happens to lie.
class Trace {
 public:
  void operation(Actor thread, base::AtomicOperation operation, const void* cell) {
    Step& step = add(Kind::operation, thread);
    step.operation = operation;
    step.cell = cell;
  }
  void yield(Actor thread) { add(Kind::yield, thread); }
  void flush(Actor buffer, const void* cell, base::AtomicValue value) {
    Step& step = add(Kind::flush, buffer);
    step.cell = cell;
    step.written = value;
    step.has_written = true;
  }
  void woken(Actor thread) { add(Kind::woken, thread); }
  void deadline_over(Actor deadline, base::ScheduleTime since_start) {
    Step& step = add(Kind::deadline, deadline);
    step.deadline = since_start;
    step.has_deadline = true;
  }

  // More about the newest operation.
  void read(base::AtomicValue value) {
    steps_.back().read = value;
    steps_.back().has_read = true;
  }
  void written(base::AtomicValue value) {
    steps_.back().written = value;
    steps_.back().has_written = true;
  }
  void delayed() { steps_.back().delayed = true; }
  void blocked() { steps_.back().blocked = true; }
  void blocked_until(base::ScheduleTime since_start) {
    steps_.back().blocked = true;
    steps_.back().deadline = since_start;
    steps_.back().has_deadline = true;
  }

  // The next atomic at this address is another one.
  void forget(const void* cell) { add(Kind::forget, 0).cell = cell; }

  std::string name_of(const void* cell) const;
  std::vector<std::string> last(std::size_t count) const;

 private:
  enum class Kind : std::uint8_t { operation, yield, flush, woken, deadline, forget };
  // As it was: what is shown of it is made where it is shown, which is once in many schedules.
  struct Step {
    Kind kind;
    Actor actor;
    base::AtomicOperation operation = base::AtomicOperation::load;
    bool delayed = false;
    bool blocked = false;
    bool has_read = false;
    bool has_written = false;
    bool has_deadline = false;
    const void* cell = nullptr;
    base::AtomicValue read;
    base::AtomicValue written;
    base::ScheduleTime deadline = 0;  // since the start
  };
  // Cells and pointers by number, in order of appearance.
  struct Names;

  Step& add(Kind kind, Actor actor) {
    return steps_.emplace_back(Step{.kind = kind, .actor = actor, .read = {}, .written = {}});
  }
  static std::string to_text(const Step& step, Names& names);

  std::vector<Step> steps_;
};

}  // namespace weft::model
