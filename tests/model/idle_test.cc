// SPDX-License-Identifier: Apache-2.0
// Going idle against a wake, and the poller from one sleeper to the next: nobody is left alone.
#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "expect_pass.h"
#include "model/model.h"
#include "programs/engine.h"
#include "programs/meeting.h"
#include "sched/idle_workers.h"
#include "sched/park.h"
#include "sched/poller.h"

namespace weft::model {
namespace {

using namespace std::chrono_literals;
using fiber::ParkKind;
using os::Descriptors;
using sched::Direction;
using sched::Waited;

constexpr int number = Descriptors::first;

void sleep_until(os::Instant deadline) {
  while (os::MonotonicClock::now() < deadline) sched::park(ParkKind::sleep, nullptr, deadline);
}

void read_from(sched::Poller& poller) {
  for (;;) {
    const sched::Edge before = poller.look(number, Direction::read);
    if (Descriptors::lower(number, EPOLLIN) != 0) return;
    check(poller.wait(number, Direction::read, before, os::never) == Waited::ready, "not ready");
  }
}

// IdleWorkers alone, with two workers that do as Runtime::run_worker() and sleep() do: less to
// explore, so more of it is. Whoever adds work waits until it is done, and adds more.
class TwoWorkers {
 public:
  void work(std::size_t index) {
    sched::Sleeper& sleeper = sleepers_[index];
    bool searching = false;
    while (!stop_.load()) {
      if (take()) {
        if (std::exchange(searching, false) && idle_.end_search() && ready_.load() != 0) {
          idle_.wake_one();
        }
        done_.fetch_add(1);
        os::futex_wake(done_);
        continue;
      }
      if (!searching && (searching = idle_.try_begin_search())) continue;
      const sched::Bed bed = idle_.lie_down(sleeper, searching);
      searching = true;
      const bool stay_up = ready_.load(std::memory_order_relaxed) != 0 || stop_.load();
      if (!stay_up && bed == sched::Bed::own_word) {
        idle_.sleep(sleeper);
        continue;
      }
      os::Epoll::Event events[os::Epoll::most_events];
      if (!stay_up) epoll_.wait(events, os::never);
      idle_.get_up(sleeper);
    }
    if (searching) idle_.end_search();
  }

  void add_and_wait(std::uint32_t count) {
    const std::uint32_t before = done_.load();
    for (std::uint32_t i = 0; i < count; ++i) {
      ready_.store(ready_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      idle_.notify();
    }
    for (std::uint32_t done = 0; (done = done_.load()) != before + count;) {
      os::futex_wait(done_, done);
    }
  }

  void end() {
    stop_.store(true);
    idle_.wake_all();
  }

  void check_end() {
    check(idle_.sleeping() == 0, "one sleeps who has ended");
    check(!idle_.anybody_searches(), "one searches who has ended");
    check(idle_.try_take_poller(), "one is in the poller who has ended");
  }

 private:
  bool take() {
    std::uint32_t ready = ready_.load(std::memory_order_relaxed);
    while (ready != 0) {
      if (ready_.compare_exchange_weak(ready, ready - 1)) return true;
    }
    return false;
  }

  os::Epoll epoll_;
  sched::IdleWorkers idle_{epoll_};
  sched::Sleeper sleepers_[2];
  atomic<std::uint32_t> ready_{0};
  atomic<std::uint32_t> done_{0};
  atomic<bool> stop_{false};
};

void two_workers(Program& program) {
  os::Descriptors::reset();
  auto& pool = program.make<TwoWorkers>();
  for (std::size_t i = 0; i < 2; ++i) program.thread([&pool, i] { pool.work(i); });
  program.thread([&pool] {
    pool.add_and_wait(1);
    pool.add_and_wait(1);
    pool.end();
  });
  program.finally([&pool] { pool.check_end(); });
}

// Two fibers come from outside at about the same time, and each needs a worker.
void injected_fibers_meet(Program& program) {
  auto& meeting = program.make<Meeting>(2U);
  auto& engine = program.make<Engine>(program, workers(2), 4);
  engine.spawn([&] { meeting.come(); });
  engine.spawn([&] { meeting.come(); });
}

// One of them stands behind the other in the queue of a worker, who does not come back to it.
void queued_fibers_meet(Program& program) {
  auto& meeting = program.make<Meeting>(2U);
  auto& engine = program.make<Engine>(program, workers(2), 4);
  for (int i = 0; i < 2; ++i) {
    engine.spawn([&] {
      sched::yield();
      meeting.come();
    });
  }
}

// Two workers sleep, one of them in the poller, and there are three reasons to get up.
void events_timers_and_wakes(Program& program) {
  struct State {
    atomic<bool> told{false};
  };
  auto& state = program.make<State>();
  auto& engine = program.make<Engine>(program, workers(2), 4);
  Descriptors::open(number);
  engine.spawn([&] { read_from(engine.runtime().poller()); });
  auto& sleeper = engine.spawn([&state] {
    sleep_until(os::MonotonicClock::now() + 1ms);
    while (!state.told.load()) sched::park(ParkKind::other, &state);
  });
  engine.main([&] {
    Descriptors::raise(number, EPOLLIN);
    state.told.store(true);
    sched::unpark(*sleeper.fiber());
  });
}

// Whoever goes to sleep in the poller, for good, sees a timer that is made meanwhile, or is kicked.
void a_timer_against_sleep(Program& program) {
  struct State {
    atomic<bool> told{false};
  };
  auto& state = program.make<State>();
  auto& engine = program.make<Engine>(program, workers(2), 4);
  auto& waiter = engine.spawn([&state] {
    while (!state.told.load()) sched::park(ParkKind::other, &state);
  });
  engine.spawn([&] {
    sleep_until(os::MonotonicClock::now() + 1ms);
    state.told.store(true);
    sched::unpark(*waiter.fiber());
  });
}

// One from outside wakes a fiber again and again, as soon as it is answered: workers lie down and
// get up all the time.
void ping_pong_with_the_outside(Program& program) {
  struct State {
    atomic<int> asked{0};
    atomic<int> answered{0};
    fiber::Fiber* outside = nullptr;
  };
  constexpr int rounds = 3;
  auto& state = program.make<State>();
  auto& engine = program.make<Engine>(program, workers(2), 3);
  auto& inside = engine.spawn([&state] {
    for (int round = 1; round <= rounds; ++round) {
      while (state.asked.load() < round) sched::park(ParkKind::other, &state);
      state.answered.store(round);
      sched::unpark(*state.outside);
    }
  });
  engine.main([&] {
    state.outside = &fiber::self();
    for (int round = 1; round <= rounds; ++round) {
      state.asked.store(round);
      sched::unpark(*inside.fiber());
      while (state.answered.load() < round) sched::park(ParkKind::other, &state);
    }
  });
}

TEST(Idle, TwoWorkersInAllSchedules) {
  expect_all_pass_undelayed(1, two_workers);
}
TEST(Idle, TwoWorkers) {
  expect_random_pass(100'000, two_workers);
}
TEST(Idle, PingPongWithTheOutside) {
  expect_engine_pass(30'000, ping_pong_with_the_outside);
}
TEST(Idle, InjectedFibersMeet) {
  expect_engine_pass(30'000, injected_fibers_meet);
}
TEST(Idle, QueuedFibersMeet) {
  expect_engine_pass(100'000, queued_fibers_meet);
}
TEST(Idle, EventsTimersAndWakes) {
  expect_engine_pass(100'000, events_timers_and_wakes);
}
TEST(Idle, ATimerAgainstSleep) {
  expect_engine_pass(30'000, a_timer_against_sleep);
}

}  // namespace
}  // namespace weft::model
