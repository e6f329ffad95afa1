// SPDX-License-Identifier: Apache-2.0
// weft::model: runs a few threads one step at a time, in every order or in many, and says in which
// order they fail.
//
//   model::Outcome outcome = model::explore({}, [](model::Program& program) {
//     auto& counter = program.make<weft::atomic<int>>(0);
//     for (int i = 0; i < 2; ++i) program.thread([&] { counter.store(counter.load() + 1); });
//     program.finally([&] { model::check(counter.load() == 2, "an increment was lost"); });
//   });
//   EXPECT_FALSE(outcome.failure) << outcome;
//
// Concepts
//   program    what one call of the body sets up: state, model threads, and what holds at the end
//   turn       what a model thread does from one operation of weft::atomic (with fences, wait,
//              notify, yield; os::futex_wait, os::futex_wake) up to the next; exactly one thread
//              has the turn
//   schedule   one run of the program; it is the list of the choices made in it, and nothing else
//   choice     who has the next turn, or which waiter a notify wakes; by number, 0 is the dullest
//   actor      who can be chosen: a model thread, its store buffer, or the deadline of its wait
//   strategy   who makes the choices: random with priorities, exhaustive, or a list to replay
//
// States of a model thread
//   ready    --chosen-->                             running
//   running  --next operation, or yield-->           ready
//   running  --wait, and the value is the old one--> blocked
//   blocked  --a notify or wake picks it-->          ready
//   blocked  --its deadline is chosen-->             ready
//   running  --function returns-->                   finished
//   any      --the schedule has failed-->            abandoned
// A schedule passes when all threads are finished and all buffers empty. It fails when a check()
// does, when an exception leaves a thread, when no actor can be chosen (deadlock), or when it takes
// more than step_limit turns (live-lock).
//
// Time. In a schedule os::MonotonicClock is the schedule's own: it stands still, or goes on by
// turn_time with each turn, and jumps to the deadline of an os::futex_wait when that deadline is
// chosen, which may be at once, late, or when nothing else can happen. Only the earliest deadline
// among the blocked threads can be chosen: when a later one is over, so are those before it. Whose
// deadline was chosen is ready and no waiter any more, but may run long after. Asking for the time
// is not a turn. Time that is to pass while all threads are busy needs a turn_time, or one more
// thread that waits until then. Futexes return for no reason in the kernel, and never here.
//
// Memory. With delayed_stores a thread's store enters a first-in-first-out buffer of its own and
// reaches memory when the buffer is chosen: total store order, what x86 does. Its own loads see it
// at once. A seq_cst store or fence, a read-modify-write, wait and notify empty the buffer first
// (the last two as the futex call does). So a missing store-load fence is found. Reordered loads
// and reordered stores, as aarch64 has them, are not modelled, nor are races on plain memory: that
// an acquire or a release is missing is for ThreadSanitizer to find.
//
// Invariants
//   - Between two turns nobody runs: all state of an Execution belongs to who has the turn.
//   - The same choices give the same schedule. The program may not ask for chance or for any other
//     clock, or decide by addresses; where an impossible choice shows that it did, the schedule
//     fails.
//   - A strategy sees choices, never memory, so that a recorded list replays under any of them.
//   - A thread that yields waits for whoever could run but did not since its last yield (the fair
//     scheduler of Musuvathi and Qadeer, PLDI 2008); other than that no schedule is left out, and
//     spinning ends. `spin_limit` turns in a row count as a yield, for loops that do not say it,
//     and so does a deadline that is over: a thread that waits by the clock, again and again, lets
//     the others get on.
//
// A model thread is a thread of libc, with its own stack, thread_local and exception state, whose
// code is executed by the explorer's kernel thread: see crew.h. A handover is a switch of 20 ns. To
// the kernel they are one thread; what blocks there, blocks them all. They are used again by the
// next schedule: a program that keeps something in a thread_local sets it at the start of each
// thread.
//
// Rejected: kernel threads that hand each other a semaphore; that is 5 us for each handover, and
// four times as long for all. Rejected too: unwinding a failed schedule's threads by an exception;
// it would leave noexcept functions. They are parked for good instead, and so is what they refer
// to.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::model {

// A program is at most so many threads.
inline constexpr std::size_t most_threads = 16;

// Turns in a row, while others could run, after which a thread counts as spinning.
inline constexpr std::size_t spin_limit = 100;

enum class Search {
  // Threads have random priorities, the highest runs, and at a few random points it becomes the
  // lowest ("PCT", Burckhardt et al., ASPLOS 2010): finds a bug that needs few switches soon.
  random,
  // Every schedule with no more than so many preemptions, depth first.
  exhaustive,
};

struct Options {
  Search search = Search::random;
  std::uint64_t schedules = 10'000;  // at most; random runs one more, which never preempts, before
  bool delayed_stores = true;
  std::size_t step_limit = 20'000;  // choices of an actor, before it is a live-lock
  // How long a turn takes, for programs that do something until the clock says that it is enough.
  std::chrono::nanoseconds turn_time{0};
  std::size_t trace_steps = 100;  // how many of the last steps a failure shows

  // For random. Schedule n has the seed `seed` + n: with a failure's seed and one schedule it comes
  // first and alone.
  std::uint64_t seed = 1;
  unsigned change_points = 3;

  // For exhaustive. A preemption takes the turn from a thread that could go on and did not yield;
  // none: any number. A buffer's turn is not one, nor is a deadline.
  std::optional<unsigned> preemption_bound = 2;
};

// One program, as the body sets it up.
class Program {
 public:
  // Makes a part of the program's state, which lives until the schedule is over.
  template <class T, class... Arguments>
  T& make(Arguments&&... arguments) {
    auto made = std::make_shared<T>(std::forward<Arguments>(arguments)...);
    state_.push_back(made);
    return *made;
  }

  void thread(std::function<void()> function) { threads_.push_back(std::move(function)); }

  // Adds something to do after all threads have finished.
  void finally(std::function<void()> function) { finally_.push_back(std::move(function)); }

  const std::vector<std::function<void()>>& threads() const noexcept { return threads_; }
  const std::vector<std::function<void()>>& at_end() const noexcept { return finally_; }

 private:
  std::vector<std::shared_ptr<void>> state_;
  std::vector<std::function<void()>> threads_;
  std::vector<std::function<void()>> finally_;
};

using Body = std::function<void(Program&)>;

// A schedule that failed, and how to see it again.
struct Failure {
  std::string what;
  std::optional<std::uint64_t> seed;  // of a random schedule
  std::string choices;                // for replay()
  std::vector<std::string> trace;     // the last steps, oldest first
};

struct Outcome {
  std::uint64_t schedules = 0;  // that were run
  bool complete = false;        // exhaustive: all there are within the bound were run
  std::optional<Failure> failure;
};

std::ostream& operator<<(std::ostream& stream, const Outcome& outcome);

// Runs schedules of the program until one fails or the search is over. The body is called once for
// each schedule and must set up the same program each time. Throws std::invalid_argument when the
// program has too many threads.
Outcome explore(const Options& options, const Body& body);

// Runs the schedule that the choices of a failure describe; of the options only what concerns
// memory and limits counts. Beyond the end of the list the choice is 0. Throws
// std::invalid_argument when the text is not a list of choices.
Outcome replay(const Options& options, std::string_view choices, const Body& body);

// Fails the schedule with this text unless the condition holds; then it does not return.
void check(bool condition, std::string_view text);

}  // namespace weft::model
