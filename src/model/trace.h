// SPDX-License-Identifier: Apache-2.0
// Trace: what each step of a schedule did, kept as numbers and written as text when it has failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/atomic_scheduler.h"
#include "model/strategy.h"

namespace weft::model {

// Atomics and pointers go by the order in which the schedule meets them ("a0", "p2"), so that the
// same schedule gives the same text wherever memory happens to lie.
class Trace {
 public:
  void clear();

  void operation(Actor thread, base::AtomicOperation operation, const void* cell);
  void yield(Actor thread);
  void flush(Actor buffer, const void* cell, base::AtomicValue value);
  void woken(Actor thread);
  void deadline_over(Actor deadline, base::ScheduleTime since_start);

  // More about the newest operation.
  void read(base::AtomicValue value);
  void written(base::AtomicValue value);
  void delayed();
  void blocked();
  void blocked_until(base::ScheduleTime since_start);

  // The next atomic at this address is another one.
  void forget(const void* cell) { cells_.erase(cell); }

  std::string name_of(const void* cell);
  std::vector<std::string> last(std::size_t count) const;

 private:
  enum class Kind : std::uint8_t { operation, yield, flush, woken, deadline };
  struct Value {
    std::uint64_t number;  // of a pointer: in order of appearance
    bool is_pointer;
  };
  struct Step {
    Kind kind = Kind::operation;
    Actor actor = 0;
    base::AtomicOperation operation = base::AtomicOperation::load;
    bool delayed = false;
    bool blocked = false;
    std::optional<std::size_t> cell;
    std::optional<Value> read;
    std::optional<Value> written;
    std::optional<base::ScheduleTime> deadline;  // since the start
  };

  std::size_t number_of(const void* cell);
  Value number_of(base::AtomicValue value);
  static std::string to_text(const Step& step);
  static std::string to_text(const Value& value);

  std::vector<Step> steps_;
  std::unordered_map<const void*, std::size_t> cells_;
  std::size_t cells_met_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> pointers_;
};

}  // namespace weft::model
