// SPDX-License-Identifier: Apache-2.0
// Turns, choices, store buffers and failures of one schedule.
#include "model/execution.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <utility>

#include "model/choices.h"

namespace weft::model {
namespace {

constinit thread_local Execution* this_threads_execution = nullptr;

// Leaves what the explorer runs of a program that has failed.
struct CheckFailed {};

// The calling thread runs a part of the schedule.
class PartOf {
 public:
  PartOf(Execution& execution, const base::ScheduleTime& time) {
    this_threads_execution = &execution;
    base::schedule_time = &time;
  }
  ~PartOf() {
    this_threads_execution = nullptr;
    base::schedule_time = nullptr;
  }
  PartOf(const PartOf&) = delete;
  PartOf& operator=(const PartOf&) = delete;
};

// Stores that x86 has sent to memory before it performs the operation: a locked instruction,
// mfence, and what the futex call begins with.
bool empties_buffer(base::AtomicOperation operation, std::memory_order order) {
  using Operation = base::AtomicOperation;
  switch (operation) {
    case Operation::load:
      return false;
    case Operation::store:
    case Operation::fence:
      return order == std::memory_order_seq_cst;
    default:
      return true;
  }
}

}  // namespace

Execution* current_execution() noexcept {
  return this_threads_execution;
}

Execution::Execution(const Options& options, Strategy& strategy, Crew& crew)
    : options_(options), strategy_(strategy), crew_(crew) {}

std::optional<Failure> Execution::run(const Body& body) {
  const PartOf part(*this, time_);
  guard("the body", [&] { body(program_); });
  const std::size_t count = program_.threads().size();
  if (count > most_threads) {
    throw std::invalid_argument("model: the program has " + std::to_string(count) +
                                " threads, and at most " + std::to_string(most_threads) +
                                " can be explored; make it smaller");
  }
  threads_ = std::vector<Thread>(count);
  fairness_ = Fairness(count);
  if (count != 0 && !failure_) {
    crew_.grow(count);
    running_ = count - 1;  // has given up its turn: the next in line is thread 0
    if (const auto first = choose_thread(Turn::given_up)) {
      running_ = *first;
      crew_.hand_over(Crew::explorer, *first);
    }
  }
  for (const auto& function : program_.at_end()) {
    if (!failure_) guard("what is done at the end", function);
  }
  return failure_;
}

bool Execution::holds_parked_threads() const noexcept {
  for (const Thread& thread : threads_) {
    if (thread.started && thread.state != State::finished) return true;
  }
  return false;
}

template <class Function>
void Execution::guard(std::string_view what, Function function) {
  try {
    function();
  } catch (const CheckFailed&) {
    // Said by leave_failed() already.
  } catch (const std::exception& exception) {
    fail("an exception left " + std::string(what) + ": " + exception.what());
  } catch (...) {
    fail("an exception that is no std::exception left " + std::string(what));
  }
}

std::size_t Execution::run_thread(std::size_t thread) {
  threads_[thread].started = true;
  threads_[thread].has_turn = true;
  const PartOf part(*this, time_);
  base::atomic_scheduler = this;
  try {
    program_.threads()[thread]();
  } catch (const std::exception& exception) {
    leave_failed(std::string("an exception left the thread: ") + exception.what());
  } catch (...) {
    leave_failed("an exception that is no std::exception left the thread");
  }
  base::atomic_scheduler = nullptr;
  threads_[thread].state = State::finished;
  const auto next = choose_thread(Turn::given_up);
  if (!next) return Crew::explorer;
  running_ = *next;
  return *next;
}

void Execution::leave_failed(std::string_view what) {
  if (base::atomic_scheduler != this) {
    fail(what);
    throw CheckFailed{};
  }
  fail("thread " + std::to_string(running_) + ": " + std::string(what));
  crew_.hand_over(running_, Crew::explorer);
  std::abort();  // nobody hands the turn to a thread of a schedule that has failed
}

void Execution::take_turn(base::AtomicOperation operation, const void* cell,
                          std::memory_order order) {
  const std::size_t self = running_;
  if (!std::exchange(threads_[self].has_turn, false)) {
    const bool spins = turns_in_a_row_ >= spin_limit;
    if (spins) yielded();
    pass_on(spins ? Turn::given_up : Turn::may_go_on);
  }
  if (empties_buffer(operation, order)) {
    while (!threads_[self].buffer.empty()) flush_oldest(self);
  }
  time_ += options_.turn_time.count();
  trace_.operation(thread_actor(self), operation, cell);
}

// The choice made here is that of the operation which follows, too.
void Execution::yield() {
  trace_.yield(thread_actor(running_));
  yielded();
  pass_on(Turn::given_up);
  threads_[running_].has_turn = true;
}

void Execution::yielded() {
  turns_in_a_row_ = 0;
  fairness_.yielded(running_, enabled_actors());
  strategy_.yielded(thread_actor(running_));
}

const void* Execution::delayed_value(const void* cell) const {
  return threads_[running_].buffer.newest(cell);
}

bool Execution::delay(const base::AtomicStore& store, std::memory_order order) {
  if (!options_.delayed_stores || order == std::memory_order_seq_cst) return false;
  trace_.delayed();
  threads_[running_].buffer.add(store);
  return true;
}

void Execution::block_on(const void* cell, base::ScheduleTime deadline) {
  if (deadline <= time_) return;
  Thread& self = threads_[running_];
  if (deadline == base::no_deadline) {
    trace_.blocked();
  } else {
    trace_.blocked_until(deadline - start_time);
  }
  self.state = State::blocked;
  self.blocked_on = cell;
  self.deadline = deadline;
  pass_on(Turn::given_up);
  self.has_turn = true;
}

// Of several that are woken each is chosen among those behind the one before, so that every set of
// them is one list of choices.
void Execution::wake(const void* cell, std::size_t count) {
  const std::vector<std::size_t> waiters = waiters_on(cell);
  std::size_t first = 0;
  for (std::size_t left = std::min(count, waiters.size()); left != 0; --left) {
    const std::size_t candidates = waiters.size() - first - (left - 1);
    std::size_t chosen = 0;
    if (candidates > 1) {
      const auto choice = strategy_.choose_waiter(candidates);
      if (!choice) leave_failed("the program did something else after the same choices");
      chosen = *choice;
      choices_.push_back(static_cast<std::uint8_t>(chosen));
    }
    const std::size_t waiter = waiters[first + chosen];
    unblock(waiter);
    trace_.woken(thread_actor(waiter));
    first += chosen + 1;
  }
}

void Execution::pass_deadline_of(std::size_t thread) {
  time_ = std::max(time_, threads_[thread].deadline);
  trace_.deadline_over(deadline_actor(thread), time_ - start_time);
  unblock(thread);
  fairness_.yielded(thread, enabled_actors());
  strategy_.yielded(deadline_actor(thread));
}

void Execution::unblock(std::size_t thread) {
  threads_[thread].state = State::ready;
  threads_[thread].blocked_on = nullptr;
  threads_[thread].deadline = base::no_deadline;
}

std::vector<std::size_t> Execution::waiters_on(const void* cell) const {
  std::vector<std::size_t> waiters;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].blocked_on == cell) waiters.push_back(i);
  }
  return waiters;
}

void Execution::forget(const void* cell) {
  threads_[running_].buffer.drop(cell);  // its own plain stores to the memory come later anyway
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const bool waits = threads_[i].blocked_on == cell;
    if (!waits && threads_[i].buffer.newest(cell) == nullptr) continue;
    leave_failed(trace_.name_of(cell) + " is destroyed while thread " + std::to_string(i) +
                 (waits ? " waits on it" : "'s store to it is on its way"));
  }
  trace_.forget(cell);
}

void Execution::flush_oldest(std::size_t thread) {
  const StoreBuffer::Entry written = threads_[thread].buffer.write_oldest();
  trace_.flush(buffer_actor(thread), written.store.cell, written.store.shown);
}

void Execution::pass_on(Turn turn) {
  const std::size_t self = running_;
  const auto next = choose_thread(turn);
  if (next == self) return;
  if (next) running_ = *next;
  crew_.hand_over(self, next.value_or(Crew::explorer));  // for ever, when the schedule has failed
}

std::optional<std::size_t> Execution::choose_thread(Turn turn) {
  for (;;) {
    const ActorSet enabled = enabled_actors();
    if (enabled == 0) {
      for (const Thread& thread : threads_) {
        if (thread.state == State::finished) continue;
        fail(deadlock_text());
        break;
      }
      return std::nullopt;
    }
    if (steps_++ == options_.step_limit) {
      fail("live-lock: not over after " + std::to_string(options_.step_limit) + " steps");
      return std::nullopt;
    }
    const auto actor = choose_actor(enabled, turn);
    if (!actor) {
      fail(
          "the program did something else after the same choices: it depends on time, chance or "
          "addresses, or the choices are not of this program");
      return std::nullopt;
    }
    fairness_.ran(*actor, enabled);
    if (is_thread(*actor)) {
      const bool could_have_switched = enabled != set_of(*actor);
      turns_in_a_row_ = *actor == running_ && could_have_switched ? turns_in_a_row_ + 1 : 0;
      return *actor;
    }
    if (is_deadline(*actor)) {
      pass_deadline_of(thread_of(*actor));
    } else {
      flush_oldest(thread_of(*actor));
    }
  }
}

std::optional<Actor> Execution::choose_actor(ActorSet enabled, Turn turn) {
  std::array<Actor, most_actors> actors;
  std::size_t count = 0;
  const std::size_t threads = threads_.size();
  const std::size_t first = turn == Turn::may_go_on ? running_ : running_ + 1;
  for (std::size_t i = 0; i < threads; ++i) {
    const std::size_t thread = first + i < threads ? first + i : first + i - threads;
    const bool is_enabled = (enabled & set_of(thread_actor(thread))) != 0;
    if (is_enabled && fairness_.may_run(thread, enabled)) actors[count++] = thread_actor(thread);
  }
  const bool may_continue =
      turn == Turn::may_go_on && count != 0 && actors[0] == thread_actor(running_);
  for (ActorSet others = enabled & ~all_threads; others != 0; others &= others - 1) {
    actors[count++] = static_cast<Actor>(std::countr_zero(others));
  }
  if (count == 1) return actors[0];
  const auto choice = strategy_.choose_actor({actors.data(), count}, may_continue);
  if (!choice) return std::nullopt;
  choices_.push_back(static_cast<std::uint8_t>(*choice));
  return actors[*choice];
}

ActorSet Execution::enabled_actors() const {
  ActorSet enabled = 0;
  ActorSet deadlines = 0;
  base::ScheduleTime earliest = base::no_deadline;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const Thread& thread = threads_[i];
    if (thread.state == State::ready) enabled |= set_of(thread_actor(i));
    if (!thread.buffer.empty()) enabled |= set_of(buffer_actor(i));
    if (thread.deadline == base::no_deadline || thread.deadline > earliest) continue;
    if (thread.deadline < earliest) deadlines = 0;
    earliest = thread.deadline;
    deadlines |= set_of(deadline_actor(i));
  }
  return enabled | deadlines;
}

void Execution::fail(std::string_view what) {
  failure_ = Failure{.what = std::string(what),
                     .seed = strategy_.seed(),
                     .choices = choices_to_text(choices_),
                     .trace = trace_.last(options_.trace_steps)};
}

std::string Execution::deadlock_text() {
  std::string text = "deadlock:";
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].state != State::blocked) continue;
    text += (text.back() == ':' ? " thread " : ", thread ") + std::to_string(i) + " waits on " +
            trace_.name_of(threads_[i].blocked_on);
  }
  return text;
}

}  // namespace weft::model
