// SPDX-License-Identifier: Apache-2.0
// One mutex and 64 threads that want it, on two CPUs.
#include <pthread.h>

#include <atomic>
#include <memory>
#include <thread>

#include "pinning.h"
#include "sides.h"
#include "timing.h"
#include "waits.h"
#include "work.h"

namespace weft::engine {
namespace {

constexpr unsigned threads = 64;

// Written by its thread alone, on lines of the cache of its own.
struct alignas(128) Share {
  std::atomic<std::uint64_t> taken{0};
  Waits waits;
};

struct Contest {
  alignas(128) pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  std::uint64_t guarded = 0;
  alignas(128) std::atomic<bool> over{false};
  std::unique_ptr<Share[]> shares = std::make_unique<Share[]>(threads);

  std::uint64_t taken() const {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < threads; ++i) sum += shares[i].taken.load(std::memory_order_relaxed);
    return sum;
  }
};

// What is done with the mutex.
struct Section {
  std::uint64_t steps_inside = 0;
  std::uint64_t steps_outside = 0;
  bool yields_inside = false;
  bool timed = false;
};
constexpr Section shortest{};
constexpr Section timed{.timed = true};
constexpr Section longer{.steps_inside = 250, .steps_outside = 250};  // half a microsecond each
constexpr Section yielding{.yields_inside = true};

template <class Side, Section section>
void compete(Contest& contest, Share& share) {
  while (!contest.over.load(std::memory_order_relaxed)) {
    const auto asked = section.timed ? Clock::now() : Clock::time_point{};
    Side::lock(&contest.mutex);
    if constexpr (section.timed) share.waits.add(Clock::now() - asked);
    ++contest.guarded;
    work(section.steps_inside);
    if constexpr (section.yields_inside) Side::yield();
    Side::unlock(&contest.mutex);
    work(section.steps_outside);
    share.taken.store(share.taken.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

template <class Side, Section section>
void hold(const Scale& scale, unsigned competitors, Contest& contest, double& per_second) {
  pin_to_first(2);
  Side side(2);
  Team<Side> team(side);
  for (unsigned i = 0; i < competitors; ++i) {
    team.start([&contest, i] { compete<Side, section>(contest, contest.shares[i]); });
  }
  std::this_thread::sleep_for(scale.time(30));
  const auto begin = Clock::now();
  const std::uint64_t before = contest.taken();
  std::this_thread::sleep_for(scale.time(150));
  per_second = static_cast<double>(contest.taken() - before) / since<std::ratio<1>>(begin);
  contest.over = true;
  team.join();
  require(contest.guarded == contest.taken(), "the mutex excludes");
}

// How often the mutex is taken, in thousands a second.
template <class Side, Section section, unsigned competitors = threads>
Numbers measure_rate(const Scale& scale) {
  Contest contest;
  double per_second = 0;
  hold<Side, section>(scale, competitors, contest, per_second);
  return {{"value", per_second / 1000}};
}

// How long it takes to get it. Looking at the clock makes it slower, so this is a run of its own.
template <class Side>
Numbers measure_waits(const Scale& scale) {
  Contest contest;
  double per_second = 0;
  hold<Side, timed>(scale, threads, contest, per_second);
  Waits all;
  for (unsigned i = 0; i < threads; ++i) all.add(contest.shares[i].waits);
  return {{"value", all.longest_us() / 1000}, {"p999_us", all.quantile_us(0.999)}};
}

}  // namespace

Measurements contention_measurements() {
  return {{"contention.weft", measure_rate<Weft, shortest>},
          {"contention.nptl", measure_rate<Nptl, shortest>},
          {"contention.alone", measure_rate<Nptl, shortest, 1>},
          {"contention_longer.weft", measure_rate<Weft, longer>},
          {"contention_longer.nptl", measure_rate<Nptl, longer>},
          {"contention_yielding.weft", measure_rate<Weft, yielding>},
          {"contention_yielding.nptl", measure_rate<Nptl, yielding>},
          {"contention_waits.weft", measure_waits<Weft>},
          {"contention_waits.nptl", measure_waits<Nptl>}};
}

}  // namespace weft::engine
