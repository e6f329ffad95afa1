// SPDX-License-Identifier: Apache-2.0
// What --stats shows at the end of a process, and --report writes.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

#include "fiber/fiber.h"
#include "os/own_descriptors.h"
#include "os/system_call.h"
#include "preload/options.h"
#include "preload/process.h"
#include "sched/monitor.h"
#include "sched/sites.h"
#include "sched/worker.h"

namespace weft::preload {
namespace {

struct Totals {
  std::uint64_t switches = 0, steals = 0, polls = 0;
  std::uint64_t parks[fiber::park_kinds] = {};
};

Totals totals_of(sched::Runtime& runtime) {
  Totals totals;
  runtime.for_each_worker([&](sched::Worker& worker) {
    totals.switches += worker.switches.value();
    totals.steals += worker.steals.value();
    totals.polls += worker.polls.value();
    for (std::size_t i = 0; i < fiber::park_kinds; ++i) totals.parks[i] += worker.parks[i].value();
  });
  return totals;
}

const char* name_of_park(std::size_t kind) {
  return fiber::name_of(static_cast<fiber::ParkKind>(kind));
}

const char* name_of_call(const sched::StuckCalls::Entry& entry) {
  const char* const call = sched::system_call_name(entry.system_call);
  return call != nullptr ? call : "other calls, or running";
}

struct Frame {
  const char* function = "?";
  const char* file = "?";
};

Frame frame_at(std::uintptr_t address) {
  Dl_info symbol{};
  if (::dladdr(reinterpret_cast<const void*>(address), &symbol) == 0) return {};
  return {.function = symbol.dli_sname != nullptr ? symbol.dli_sname : "?",
          .file = symbol.dli_fname != nullptr ? symbol.dli_fname : "?"};
}

template <class Function>
void for_each_trip(Function function) {
  for (std::size_t i = 0; i < sched::Sites::most_sites; ++i) {
    const sched::Sites::Entry& site = sched::trips_home().at(i);
    if (site.count != 0) function(site.name.load(), site.count.load());
  }
}

void print_page(sched::Runtime& runtime, std::FILE* out) {
  const Totals totals = totals_of(runtime);
  std::fprintf(out, "weft: %u workers, %lu switches, %lu steals, %lu polls, %lu relieved\n",
               runtime.workers(), totals.switches, totals.steals, totals.polls,
               runtime.monitor()->relieved());
  for (std::size_t i = 0; i < fiber::park_kinds; ++i) {
    if (totals.parks[i] == 0) continue;
    std::fprintf(out, "weft: %12lu waits: %s\n", totals.parks[i], name_of_park(i));
  }
  for_each_trip([out](const char* site, std::uint64_t count) {
    std::fprintf(out, "weft: %12lu trips home: %s\n", count, site);
  });
  runtime.monitor()->stuck_calls().for_each([out](const sched::StuckCalls::Entry& entry) {
    std::fprintf(out, "weft: %12lu relieved in %s\n", entry.count, name_of_call(entry));
    for (std::uint32_t i = 0; i < entry.frame_count; ++i) {
      const Frame frame = frame_at(entry.frames[i]);
      std::fprintf(out, "weft: %16s %s (%s)\n", "from", frame.function, frame.file);
    }
  });
}

void print_json(sched::Runtime& runtime, std::FILE* out) {
  const Totals totals = totals_of(runtime);
  std::fprintf(out,
               "{\"workers\": %u, \"switches\": %lu, \"steals\": %lu, \"polls\": %lu, "
               "\"relieved\": %lu,\n \"waits\": {",
               runtime.workers(), totals.switches, totals.steals, totals.polls,
               runtime.monitor()->relieved());
  for (std::size_t i = 0; i < fiber::park_kinds; ++i) {
    std::fprintf(out, "%s\"%s\": %lu", i == 0 ? "" : ", ", name_of_park(i), totals.parks[i]);
  }
  std::fprintf(out, "},\n \"trips_home\": {");
  const char* separator = "";
  for_each_trip([&](const char* site, std::uint64_t count) {
    std::fprintf(out, "%s\"%s\": %lu", separator, site, count);
    separator = ", ";
  });
  std::fprintf(out, "},\n \"relieved_in\": [");
  separator = "";
  runtime.monitor()->stuck_calls().for_each([&](const sched::StuckCalls::Entry& entry) {
    std::fprintf(out, "%s{\"call\": \"%s\", \"count\": %lu, \"frames\": [", separator,
                 name_of_call(entry), entry.count);
    separator = ", ";
    for (std::uint32_t i = 0; i < entry.frame_count; ++i) {
      const Frame frame = frame_at(entry.frames[i]);
      std::fprintf(out, "%s\"%s in %s\"", i == 0 ? "" : ", ", frame.function, frame.file);
    }
    std::fprintf(out, "]}");
  });
  std::fprintf(out, "]}\n");
}

constinit os::OwnDescriptor report_file;

}  // namespace

void open_report() noexcept {
  if (*options().report == '\0' || report_file.number() >= 0) return;
  const long error = report_file.open([] {
    constexpr long for_all = 0666;
    return os::call(SYS_openat, AT_FDCWD, options().report, O_WRONLY | O_CREAT | O_CLOEXEC,
                    for_all);
  });
  if (error == 0) return;
  std::fprintf(stderr, "weft: cannot write the report %s\n", options().report);
}

void print_statistics() noexcept {
  sched::Runtime* const running = runtime();
  if (options().statistics) {
    if (running != nullptr) {
      print_page(*running, stderr);
    } else if (!is_forked()) {
      std::fprintf(stderr, "weft: no threads were made\n");
    }
  }
  if (report_file.number() < 0 || running == nullptr) return;
  // Not by libc's, which does not find ours.
  const long copy = os::call(SYS_fcntl, report_file.number(), F_DUPFD_CLOEXEC, 0);
  std::FILE* const file = ::fdopen(static_cast<int>(copy), "w");
  if (file == nullptr) {
    std::fprintf(stderr, "weft: cannot write the report %s\n", options().report);
    return;
  }
  // What is there may be of a child, which has written its own meanwhile.
  os::call(SYS_ftruncate, report_file.number(), 0);
  os::call(SYS_lseek, report_file.number(), 0, SEEK_SET);
  print_json(*running, file);
  const bool failed = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || failed) {
    std::fprintf(stderr, "weft: cannot write the report %s: its file system is full, or gone\n",
                 options().report);
  }
}

}  // namespace weft::preload
