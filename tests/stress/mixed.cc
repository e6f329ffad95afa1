// SPDX-License-Identifier: Apache-2.0
// What a fiber of the mix does, step by step, and the sums that must come out.
#include "stress/mixed.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "sched/io.h"
#include "sched/park.h"
#include "stress/fibers.h"
#include "stress/watchdog.h"
#include "sync/barrier.h"
#include "sync/condition.h"
#include "sync/mutex.h"
#include "sync/rwlock.h"
#include "sync/semaphore.h"

namespace weft::stress {
namespace {

using Random = std::minstd_rand;

constexpr std::size_t locks = 8;

// A number behind each kind of lock; plain, so that a broken lock loses an increment.
struct Guarded {
  sync::Mutex mutex;
  sync::RwLock rwlock;
  std::uint64_t by_mutex = 0;
  std::uint64_t by_rwlock = 0;
};

// Tokens that are handed out and taken back; a waiter needs one. The tokens there are stay the
// same.
struct Tokens {
  sync::Mutex mutex;
  sync::Condition available;
  int count = 4;
};

struct World {
  explicit World(const Mix& chosen)
      : mix(chosen), runtime({.workers = chosen.workers, .monitored = chosen.monitored}) {
    expect(slots.init(16) == 0, "a semaphore can be made");
  }

  const Mix& mix;
  sched::Runtime runtime;
  Watchdog watchdog{runtime, "mix with " + std::to_string(mix.workers) + " workers, seed " +
                                 std::to_string(mix.seed)};
  Guarded guarded[locks];
  Tokens tokens[locks];
  sync::Semaphore slots;
  std::atomic<std::uint64_t> mutex_steps{0};
  std::atomic<std::uint64_t> rwlock_steps{0};
  std::atomic<std::uint64_t> bytes_sent{0};
  std::atomic<std::uint64_t> bytes_received{0};
  std::atomic<std::uint64_t> children{0};
};

thread_local std::uint64_t identity = 0;

sync::Deadline soon(std::uint64_t microseconds) {
  return sync::Deadline::at(os::MonotonicClock::now() + std::chrono::microseconds{microseconds});
}

void lock_and_count(World& world, Random& random) {
  Guarded& guarded = world.guarded[random() % locks];
  if (random() % 4 == 0) {
    if (guarded.mutex.lock_until(soon(random() % 2000)) != 0) return;
  } else {
    guarded.mutex.lock();
  }
  const std::uint64_t before = guarded.by_mutex;
  if (random() % 8 == 0) sched::yield();
  guarded.by_mutex = before + 1;
  guarded.mutex.unlock();
  ++world.mutex_steps;
}

void read_or_write(World& world, Random& random) {
  Guarded& guarded = world.guarded[random() % locks];
  if (random() % 3 != 0) {
    guarded.rwlock.read_lock();
    const std::uint64_t before = guarded.by_rwlock;
    if (random() % 4 == 0) sched::yield();
    expect(guarded.by_rwlock == before, "nothing changes under a read lock");
    guarded.rwlock.unlock();
    return;
  }
  guarded.rwlock.write_lock();
  const std::uint64_t before = guarded.by_rwlock;
  if (random() % 8 == 0) sched::yield();
  guarded.by_rwlock = before + 1;
  guarded.rwlock.unlock();
  ++world.rwlock_steps;
}

void take_token(World& world, Random& random) {
  Tokens& tokens = world.tokens[random() % locks];
  tokens.mutex.lock();
  while (tokens.count == 0) {
    if (random() % 4 == 0) {
      tokens.available.wait_until(tokens.mutex, soon(random() % 3000));
    } else {
      tokens.available.wait(tokens.mutex);
    }
  }
  --tokens.count;
  tokens.mutex.unlock();
  if (random() % 2 == 0) sched::yield();
  tokens.mutex.lock();
  ++tokens.count;
  if (random() % 16 == 0) {
    tokens.available.broadcast();
  } else {
    tokens.available.signal();
  }
  tokens.mutex.unlock();
}

void sleep_a_little(Random& random) {
  sched::sleep_until(os::MonotonicClock::now() + std::chrono::microseconds{random() % 3000});
}

void take_slot(World& world, Random& random) {
  if (random() % 4 == 0) {
    if (world.slots.wait_until(soon(random() % 2000)) != 0) return;
  } else {
    world.slots.wait();
  }
  if (random() % 2 == 0) sched::yield();
  world.slots.post();
}

void go_home(Random& random) {
  const std::uint64_t mine = identity;
  sched::at_home("stress", [&] {
    expect(static_cast<std::uint32_t>(::gettid()) == fiber::self().id, "home has its thread id");
    expect(identity == mine, "thread-local storage goes home, too");
    if (random() % 4 == 0) ::usleep(static_cast<useconds_t>(random() % 300));
  });
}

void make_child(World& world, Random& random) {
  std::uint64_t result = 0;
  const std::uint64_t value = random();
  Joinable child(world.runtime, [&] {
    identity = value;
    sched::yield();
    result = identity;
  });
  if (random() % 2 == 0) sched::yield();
  child.join();
  expect(result == value, "a child has thread-local storage of its own");
  ++world.children;
}

// Both ends of a socket pair, in two fibers; the numbers are closed and come again at once.
void talk(World& world, Random& random) {
  int ends[2];
  // Not by libc: ThreadSanitizer follows descriptors there, and would miss that they are closed.
  expect(os::call(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0,
         "a socket pair");
  Joinable echo(world.runtime, [&world, end = ends[1]] {
    char buffer[256];
    for (;;) {
      const long got = sched::receive(end, buffer, sizeof(buffer), 0);
      expect(got >= 0, "the echo can receive");
      if (got == 0) break;
      world.bytes_received += static_cast<std::uint64_t>(got);
      expect(sched::send(end, buffer, static_cast<std::size_t>(got), MSG_NOSIGNAL) == got,
             "the echo can send");
    }
    expect(sched::close(end) == 0, "the echo can close");
  });
  for (std::uint32_t i = 0; i < 1 + random() % 4; ++i) {
    const std::size_t bytes = 1 + random() % 200;
    const std::string message(bytes, static_cast<char>('a' + i));
    expect(sched::send(ends[0], message.data(), bytes, MSG_NOSIGNAL) == static_cast<long>(bytes),
           "a message can be sent");
    world.bytes_sent += bytes;
    std::string answer(bytes, '\0');
    std::size_t got = 0;
    while (got < bytes) {
      const long part = sched::receive(ends[0], answer.data() + got, bytes - got, 0);
      expect(part > 0, "an answer comes");
      got += static_cast<std::size_t>(part);
    }
    expect(answer == message, "the answer is the message");
  }
  expect(sched::close(ends[0]) == 0, "the end can be closed");
  echo.join();
}

void run_fiber(World& world, std::uint64_t number) {
  Random random(static_cast<Random::result_type>((world.mix.seed * 1'000'003 + number) | 1));
  identity = number;
  for (std::uint32_t step = 0; step < world.mix.steps; ++step) {
    switch (random() % 32) {
      case 0:
        make_child(world, random);
        break;
      case 1:
        talk(world, random);
        break;
      case 2:
      case 3:
        go_home(random);
        break;
      case 4:
      case 5:
        sleep_a_little(random);
        break;
      case 6:
      case 7:
        sched::yield();
        break;
      case 8:
      case 9:
      case 10:
      case 11:
        take_slot(world, random);
        break;
      case 12:
      case 13:
      case 14:
      case 15:
      case 16:
      case 17:
        take_token(world, random);
        break;
      case 18:
      case 19:
      case 20:
      case 21:
      case 22:
        read_or_write(world, random);
        break;
      default:
        lock_and_count(world, random);
    }
    expect(identity == number, "thread-local storage is the fiber's own");
    world.watchdog.progress();
  }
}

}  // namespace

void run_mix(const Mix& mix) {
  World world(mix);
  std::vector<std::unique_ptr<Joinable>> fibers;
  fibers.reserve(mix.fibers);
  for (std::uint32_t i = 0; i < mix.fibers; ++i) {
    fibers.push_back(
        std::make_unique<Joinable>(world.runtime, [&world, i] { run_fiber(world, i); }));
    world.watchdog.progress();
  }
  for (auto& fiber : fibers) {
    fiber->join();
    world.watchdog.progress();
  }
  std::uint64_t by_mutex = 0;
  std::uint64_t by_rwlock = 0;
  for (const Guarded& guarded : world.guarded) {
    by_mutex += guarded.by_mutex;
    by_rwlock += guarded.by_rwlock;
  }
  expect(by_mutex == world.mutex_steps, "the sum behind the mutexes");
  expect(by_rwlock == world.rwlock_steps, "the sum behind the read-write locks");
  for (const Tokens& tokens : world.tokens) expect(tokens.count == 4, "all tokens came back");
  expect(world.bytes_sent == world.bytes_received, "all bytes arrived");
}

void run_ping_pong(std::uint32_t workers, std::uint64_t rounds, bool monitored) {
  sched::Runtime runtime({.workers = workers, .monitored = monitored});
  Watchdog watchdog(runtime, "ping-pong with " + std::to_string(workers) + " workers");
  sync::Mutex mutex;
  sync::Condition changed;
  std::uint64_t turn = 0;
  const auto play = [&](std::uint64_t mine) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      mutex.lock();
      while (turn % 2 != mine) changed.wait(mutex);
      ++turn;
      changed.signal();
      mutex.unlock();
      watchdog.progress();
    }
  };
  Joinable ping(runtime, [&] { play(0); });
  Joinable pong(runtime, [&] { play(1); });
  ping.join();
  pong.join();
  expect(turn == 2 * rounds, "every round was played");
}

}  // namespace weft::stress
