// SPDX-License-Identifier: Apache-2.0
// What ten thousand threads take that wait: in the process, and in the kernel for it.
#include <semaphore.h>

#include <atomic>
#include <string>
#include <thread>

#include "base/text.h"
#include "os/file.h"
#include "pinning.h"
#include "sides.h"
#include "timing.h"

namespace weft::engine {
namespace {

// The number of a line "Name:   123 kB".
double kibibytes(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = base::take_until(text, '\n');
    if (base::take_until(line, ':') != name) continue;
    line = base::trim(line);
    const auto number = base::to_number<std::uint64_t>(base::take_until(line, ' '));
    require(number.has_value(), "a number of /proc is one");
    return static_cast<double>(*number);
  }
  require(false, "a line of /proc is there");
  return 0;
}

struct Memory {
  double resident;   // of the process
  double kernel;     // page tables of the process, and of all: stacks and small objects
  double available;  // on the machine
};

Memory look() {
  const auto status = os::read_text("/proc/self/status");
  const auto machine = os::read_text("/proc/meminfo");
  require(status && machine, "/proc can be read");
  return {kibibytes(*status, "VmRSS"),
          kibibytes(*status, "VmPTE") + kibibytes(*machine, "KernelStack") +
              kibibytes(*machine, "Slab"),
          kibibytes(*machine, "MemAvailable")};
}

template <class Side>
Numbers measure(const Scale& scale) {
  const unsigned threads = scale.count(10'000, 20);
  pin_to_first(2);
  Side side(2);
  sem_t gate;
  sem_init(&gate, 0, 0);
  std::atomic<unsigned> arrived{0};
  Team<Side> team(side);
  const Memory before = look();
  for (unsigned i = 0; i < threads; ++i) {
    team.start([&] {
      ++arrived;
      Side::wait(&gate);
    });
  }
  while (arrived < threads) std::this_thread::yield();
  std::this_thread::sleep_for(scale.time(100));  // until the last ones wait
  const Memory after = look();
  for (unsigned i = 0; i < threads; ++i) Side::post(&gate);
  team.join();
  const double resident = (after.resident - before.resident) / threads;
  const double kernel = (after.kernel - before.kernel) / threads;
  return {{"value", resident + kernel},
          {"resident", resident},
          {"kernel", kernel},
          {"available", (before.available - after.available) / threads}};
}

}  // namespace

Measurements memory_measurements() {
  return {{"memory.weft", measure<Weft>}, {"memory.nptl", measure<Nptl>}};
}

}  // namespace weft::engine
