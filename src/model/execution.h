// SPDX-License-Identifier: Apache-2.0
// Execution: one schedule of one program, from the call of the body to the checks at its end.
//
// The thread that comes to the end of its turn chooses who is next, and hands over itself: there is
// no conductor in between, and going on costs no switch. The explorer only waits for the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_scheduler.h"
#include "model/crew.h"
#include "model/fairness.h"
#include "model/model.h"
#include "model/store_buffer.h"
#include "model/strategy.h"
#include "model/trace.h"

namespace weft::model {

class Execution final : public base::AtomicScheduler {
 public:
  Execution(const Options& options, Strategy& strategy, Crew& crew);

  // Called by the explorer: runs the schedule to its end, or until it fails.
  std::optional<Failure> run(const Body& body);

  // After run(): a member of the crew is parked in this execution, which therefore must stay.
  bool holds_parked_threads() const noexcept;

  // Called by member i of the crew: runs model thread i, and answers who is next.
  std::size_t run_thread(std::size_t thread);

  // Fails the schedule and leaves it: a model thread never returns, the explorer throws.
  [[noreturn]] void leave_failed(std::string_view what);

  void take_turn(base::AtomicOperation operation, const void* cell,
                 std::memory_order order) override;
  void yield() override;
  const void* delayed_value(const void* cell) const override;
  bool delay(const base::AtomicStore& store, std::memory_order order) override;
  void block_on(const void* cell, base::ScheduleTime deadline) override;
  void wake(const void* cell, std::size_t count) override;
  void forget(const void* cell) override;
  void note_read(base::AtomicValue value) override { trace_.read(value); }
  void note_written(base::AtomicValue value) override { trace_.written(value); }

 private:
  // The states of model.h; running is the ready thread number running_, and all are abandoned
  // once there is a failure_.
  enum class State : std::uint8_t { ready, blocked, finished };
  struct Thread {
    State state = State::ready;
    bool started = false;
    bool has_turn = false;             // was given the turn, and no operation has used it yet
    const void* blocked_on = nullptr;  // while blocked
    base::ScheduleTime deadline = base::no_deadline;
    StoreBuffer buffer;
  };
  // How the running thread comes to the end of its turn.
  enum class Turn { may_go_on, given_up };

  // Runs something of the program on the explorer's thread.
  template <class Function>
  void guard(std::string_view what, Function function);

  // Lets buffers write and time pass until a thread is chosen; none: the schedule is over.
  std::optional<std::size_t> choose_thread(Turn turn);
  std::optional<Actor> choose_actor(ActorSet enabled, Turn turn);
  ActorSet enabled_actors() const;
  // Gives the turn to whoever is chosen, and returns when it has come back.
  void pass_on(Turn turn);
  void yielded();
  void flush_oldest(std::size_t thread);
  void pass_deadline_of(std::size_t thread);
  void unblock(std::size_t thread);
  std::vector<std::size_t> waiters_on(const void* cell) const;

  void fail(std::string_view what);
  std::string deadlock_text();

  const Options& options_;
  Strategy& strategy_;
  Crew& crew_;
  Program program_;

  // Owned by who has the turn; by the explorer before the first and after the last.
  std::vector<Thread> threads_;
  std::size_t running_ = 0;
  // Begins where a program may well count back from.
  static constexpr base::ScheduleTime start_time = 1'000'000'000'000;
  base::ScheduleTime time_ = start_time;
  std::size_t steps_ = 0;
  std::size_t turns_in_a_row_ = 0;  // of running_, while others could run
  Fairness fairness_;
  std::vector<std::uint8_t> choices_;
  Trace trace_;
  std::optional<Failure> failure_;
};

// The execution that the calling thread is part of, or nullptr.
Execution* current_execution() noexcept;

}  // namespace weft::model
