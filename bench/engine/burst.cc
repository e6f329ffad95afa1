// SPDX-License-Identifier: Apache-2.0
// How soon the second CPU has work, after a thread that never waits has made some.
#include <semaphore.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "os/system_call.h"
#include "pinning.h"
#include "sides.h"
#include "timing.h"
#include "work.h"

namespace weft::engine {
namespace {

constexpr unsigned members = 16;
constexpr std::uint64_t member_steps = 1'000'000;  // one millisecond or two

// The number of the kernel thread that runs the caller: a worker, or the thread itself.
long runner() {
  return os::call(SYS_gettid);
}

// Notes when somebody first runs elsewhere than who caused the burst. For threads of libc's that is
// simply when the first of them runs.
struct Burst {
  long origin = 0;
  Clock::time_point begin;
  std::atomic<std::int64_t> elsewhere_after{0};  // nanoseconds; 0: not yet

  void member() {
    if (runner() != origin) {
      std::int64_t not_yet = 0;
      elsewhere_after.compare_exchange_strong(not_yet, (Clock::now() - begin).count());
    }
    work(member_steps);
  }
  // Called by who causes the burst, which then has enough to do itself.
  void wait_busily() const {
    while (elsewhere_after == 0 && Clock::now() - begin < std::chrono::seconds{1}) work(1000);
  }
  double milliseconds() const {
    require(elsewhere_after != 0, "a second CPU was used within a second");
    return static_cast<double>(elsewhere_after) / 1e6;
  }
};

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class Side>
Numbers measure_made(const Scale& scale) {
  pin_to_first(2);
  Side side(2);
  std::vector<double> results(scale.count(5, 1));
  for (double& result : results) {
    std::this_thread::sleep_for(scale.time(5));  // until all workers sleep
    Burst burst;
    Team<Side> causer(side);
    causer.start([&] {
      burst.origin = runner();
      Team<Side> team(side);
      burst.begin = Clock::now();
      for (unsigned i = 0; i < members; ++i) team.start([&] { burst.member(); });
      burst.wait_busily();
      team.join();
    });
    causer.join();
    result = burst.milliseconds();
  }
  return {{"value", median_of(results)}};
}

template <class Side>
Numbers measure_woken(const Scale& scale) {
  pin_to_first(2);
  Side side(2);
  std::vector<double> results(scale.count(5, 1));
  for (double& result : results) {
    sem_t gate;
    sem_init(&gate, 0, 0);
    Burst burst;
    Team<Side> team(side);
    for (unsigned i = 0; i < members; ++i) {
      team.start([&] {
        Side::wait(&gate);
        burst.member();
      });
    }
    std::this_thread::sleep_for(scale.time(5));  // until all wait
    team.start([&] {
      burst.origin = runner();
      burst.begin = Clock::now();
      for (unsigned i = 0; i < members; ++i) Side::post(&gate);
      burst.wait_busily();
    });
    team.join();
    result = burst.milliseconds();
  }
  return {{"value", median_of(results)}};
}

}  // namespace

Measurements burst_measurements() {
  return {{"burst_made.weft", measure_made<Weft>},
          {"burst_made.nptl", measure_made<Nptl>},
          {"burst_woken.weft", measure_woken<Weft>},
          {"burst_woken.nptl", measure_woken<Nptl>}};
}

}  // namespace weft::engine
