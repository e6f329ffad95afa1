// SPDX-License-Identifier: Apache-2.0
// Poller: no edge is lost between look and wait, and nobody waits on for a file that is closed.
#include "sched/poller.h"

#include <gtest/gtest.h>

#include <chrono>

#include "expect_pass.h"
#include "fiber/kernel_threads.h"
#include "model/model.h"

namespace weft::model {
namespace {

using namespace std::chrono_literals;
using os::Descriptors;
using sched::Direction;
using sched::Edge;
using sched::Waited;

constexpr int number = Descriptors::first;

// A poller, and a thread that tells it what epoll reports, as a worker does.
struct Polled {
  os::Epoll epoll;
  sched::Poller poller{epoll};
  fiber::Record reader{0};
  atomic<bool> stop{false};

  Polled() {
    // Made before the threads are, as most are in a process that lives for a while.
    poller.wait(number, Direction::read, poller.look(number, Direction::read), os::Instant::min());
  }

  void deliver_until_stopped() {
    os::Epoll::Event events[os::Epoll::most_events];
    while (!stop.load()) {
      poller.deliver(events, epoll.wait(events, os::never));
    }
  }
  void end() {
    stop.store(true);
    epoll.kick();
  }

  // Reads once, as a hook does. Answers what it came to.
  Waited read(os::Instant deadline = os::never) {
    for (;;) {
      const Edge before = poller.look(number, Direction::read);
      if (Descriptors::lower(number, EPOLLIN) != 0) return Waited::ready;
      const Waited waited = poller.wait(number, Direction::read, before, deadline);
      if (waited != Waited::ready) return waited;
    }
  }
};

Polled& make_polled(Program& program) {
  Descriptors::reset();
  Descriptors::open(number);
  return program.make<Polled>();
}

// What arrives is read, whether it comes before the wait, while it begins, or after; also by who
// has given up once.
void an_edge_against_wait(Program& program) {
  Polled& polled = make_polled(program);
  program.thread([&] {
    const fiber::Identity identity(polled.reader);
    const os::Instant deadline = os::MonotonicClock::now() + 5us;
    const Waited waited = polled.read(deadline);
    check(waited == Waited::ready || os::MonotonicClock::now() >= deadline, "gave up too early");
    if (waited != Waited::ready) check(polled.read() == Waited::ready, "nothing was read");
    check(polled.read() == Waited::ready, "nothing was read the second time");
    polled.end();
  });
  program.thread([&] {
    Descriptors::raise(number, EPOLLIN);
    // The second comes when the first was read: two at once are one to who reads.
    for (os::Backoff backoff; Descriptors::ready(number) != 0;) backoff.pause();
    Descriptors::raise(number, EPOLLIN);
  });
  program.thread([&] { polled.deliver_until_stopped(); });
}

// The waiter hears of the end of what it waits for.
void close_against_wait(Program& program) {
  Polled& polled = make_polled(program);
  program.thread([&] {
    const fiber::Identity identity(polled.reader);
    check(polled.read() == Waited::closed, "the file is closed");
    polled.end();
  });
  program.thread([&] {
    polled.poller.begin_close(number);
    Descriptors::close(number);
    polled.poller.end_close(number);
  });
  program.thread([&] { polled.deliver_until_stopped(); });
}

struct Word {
  atomic<std::uint32_t> said{0};
  void say() {
    said.store(1);
    os::futex_wake(said);
  }
  void wait() {
    while (said.load() == 0) os::futex_wait(said, 0);
  }
};

// The number is given to another file at once: whoever waits for the old one hears of its end, and
// an edge of the old one, told of late, is none of the new.
void reuse_against_wait(Program& program) {
  struct State {
    Word returned, opened;
    atomic<bool> raised{false};
    Edge old;
  };
  Polled& polled = make_polled(program);
  auto& state = program.make<State>();
  state.old = polled.poller.look(number, Direction::read);
  program.thread([&] {
    const fiber::Identity identity(polled.reader);
    polled.poller.wait(number, Direction::read, state.old, os::never);
    state.returned.say();
    state.opened.wait();
    const Edge before = polled.poller.look(number, Direction::read);
    check(polled.poller.wait(number, Direction::read, before, os::never) == Waited::ready,
          "the new file is not waited for");
    check(state.raised.load(), "woken by an edge of the old file");
    polled.end();
  });
  program.thread([&] {
    Descriptors::raise(number, EPOLLIN);
    polled.poller.begin_close(number);
    Descriptors::close(number);
    Descriptors::open(number);
    polled.poller.end_close(number);
    state.returned.wait();
    state.opened.say();
    state.raised.store(true);
    Descriptors::raise(number, EPOLLIN);
  });
  program.thread([&] { polled.deliver_until_stopped(); });
}

TEST(Poller, InAllSchedules) {
  expect_all_pass_undelayed(1, an_edge_against_wait);
  expect_all_pass_undelayed(1, close_against_wait);
  expect_all_pass_undelayed(1, reuse_against_wait);
}
TEST(Poller, AnEdgeAgainstWait) {
  expect_random_pass(30'000, an_edge_against_wait);
}
TEST(Poller, CloseAgainstWait) {
  expect_random_pass(100'000, close_against_wait);
}
TEST(Poller, ReuseAgainstWait) {
  expect_random_pass(50'000, reuse_against_wait);
}

}  // namespace
}  // namespace weft::model
