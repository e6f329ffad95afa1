// SPDX-License-Identifier: Apache-2.0
// How soon the others run on when the only worker sleeps in the kernel, in a call that nobody told
// us of.
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "os/system_call.h"
#include "pinning.h"
#include "sides.h"
#include "timing.h"

namespace weft::engine {
namespace {

template <class Side>
double measure_once(Side& side) {
  int pipe[2];
  require(::pipe(pipe) == 0, "a pipe can be made");
  std::atomic<std::int64_t> stuck_at{0};
  std::atomic<std::int64_t> other_at{0};
  const auto now = [] { return Clock::now().time_since_epoch().count(); };
  sem_t gate;  // who has waited is away from home, where it would disturb nobody
  sem_init(&gate, 0, 0);
  Team<Side> team(side);
  team.start([&] {
    Side::wait(&gate);
    stuck_at = now();
    char byte = 0;
    os::call(SYS_read, pipe[0], &byte, 1);
  });
  team.start([&] {
    Side::wait(&gate);
    while (stuck_at == 0) Side::yield();
    other_at = now();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds{2});
  for (int i = 0; i < 2; ++i) Side::post(&gate);
  while (other_at == 0) std::this_thread::sleep_for(std::chrono::microseconds{200});
  require(::write(pipe[1], "x", 1) == 1, "a pipe can be written to");
  team.join();
  ::close(pipe[0]);
  ::close(pipe[1]);
  return static_cast<double>(other_at - stuck_at) / 1e6;
}

// The longest of all: the bar is for each of them.
template <class Side>
Numbers measure(const Scale& scale) {
  pin_to_first(1);
  Side side(1);
  double longest = 0;
  for (unsigned i = scale.count(20, 1); i > 0; --i) longest = std::max(longest, measure_once(side));
  return {{"value", longest}};
}

}  // namespace

Measurements stuck_measurements() {
  return {{"stuck.weft", measure<Weft>}, {"stuck.nptl", measure<Nptl>}};
}

}  // namespace weft::engine
