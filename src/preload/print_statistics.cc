// SPDX-License-Identifier: Apache-2.0
// What --stats shows at the end of a process.
#include <dlfcn.h>

#include <cstdio>

#include "fiber/fiber.h"
#include "preload/process.h"
#include "sched/monitor.h"
#include "sched/sites.h"
#include "sched/worker.h"

namespace weft::preload {

void print_statistics() noexcept {
  sched::Runtime* const running = runtime();
  if (running == nullptr) {
    std::fprintf(stderr, "weft: no threads were made\n");
    return;
  }
  std::uint64_t switches = 0, steals = 0, polls = 0;
  std::uint64_t parks[fiber::park_kinds] = {};
  running->for_each_worker([&](sched::Worker& worker) {
    switches += worker.switches.value();
    steals += worker.steals.value();
    polls += worker.polls.value();
    for (std::size_t i = 0; i < fiber::park_kinds; ++i) parks[i] += worker.parks[i].value();
  });
  std::fprintf(stderr, "weft: %u workers, %lu switches, %lu steals, %lu polls, %lu relieved\n",
               running->workers(), switches, steals, polls, running->monitor()->relieved());
  for (std::size_t i = 0; i < fiber::park_kinds; ++i) {
    if (parks[i] == 0) continue;
    std::fprintf(stderr, "weft: %12lu waits: %s\n", parks[i],
                 fiber::name_of(static_cast<fiber::ParkKind>(i)));
  }
  for (std::size_t i = 0; i < sched::Sites::most_sites; ++i) {
    const sched::Sites::Entry& site = sched::trips_home().at(i);
    if (site.count == 0) continue;
    std::fprintf(stderr, "weft: %12lu trips home: %s\n", site.count.load(), site.name.load());
  }
  running->monitor()->stuck_calls().for_each([](const sched::StuckCalls::Entry& entry) {
    const char* const call = sched::system_call_name(entry.system_call);
    std::fprintf(stderr, "weft: %12lu relieved in %s\n", entry.count,
                 call != nullptr ? call : "other calls, or running");
    for (std::uint32_t i = 0; i < entry.frame_count && i < 6; ++i) {
      Dl_info symbol{};
      ::dladdr(reinterpret_cast<const void*>(entry.frames[i]), &symbol);
      std::fprintf(stderr, "weft: %16s %s (%s)\n", "from",
                   symbol.dli_sname != nullptr ? symbol.dli_sname : "?",
                   symbol.dli_fname != nullptr ? symbol.dli_fname : "?");
    }
  });
}

}  // namespace weft::preload
