// SPDX-License-Identifier: Apache-2.0
// What a hang looks like.
#include "stress/watchdog.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "fiber/table.h"

namespace weft::stress {

using fiber::Place;

Watchdog::Watchdog(sched::Runtime& runtime, std::string what, int patience_seconds)
    : runtime_(runtime),
      what_(std::move(what)),
      patience_seconds_(patience_seconds),
      thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  stop_ = true;
  thread_.join();
}

void Watchdog::watch() {
  std::uint64_t seen = progress_;
  int quiet_ticks = 0;
  constexpr int ticks_per_second = 50;
  while (!stop_) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1000 / ticks_per_second});
    const std::uint64_t now = progress_;
    quiet_ticks = now == seen ? quiet_ticks + 1 : 0;
    seen = now;
    if (quiet_ticks < patience_seconds_ * ticks_per_second) continue;
    std::fprintf(stderr, "no progress for %d s after %llu steps: %s\n", patience_seconds_,
                 static_cast<unsigned long long>(seen), what_.c_str());
    dump(runtime_);
    std::abort();
  }
}

void dump(sched::Runtime& runtime) {
  std::fprintf(
      stderr,
      "workers %u, carriers %u, sleeping %u, somebody searches: %d, poller unattended: %d\n",
      runtime.workers(), runtime.carriers(), runtime.idle().sleeping(),
      runtime.idle().anybody_searches() ? 1 : 0, runtime.idle().poller_is_unattended() ? 1 : 0);
  runtime.for_each_worker([](sched::Worker& worker) {
    const sched::Carrier* const carrier = worker.carrier.load();
    const fiber::Fiber* const running = carrier == nullptr ? nullptr : carrier->running.load();
    std::fprintf(stderr,
                 "  worker %u: queue %u, pinned %u, next %s, timers %zu, asleep in %s, phase %d, "
                 "thread %u runs %u\n",
                 worker.index, worker.queue.length(), worker.pinned.length(),
                 worker.next.load() == nullptr ? "empty" : "full", worker.timers.size(),
                 !worker.sleeper.listed                     ? "nothing"
                 : worker.sleeper.bed == sched::Bed::poller ? "the poller"
                                                            : "its word",
                 carrier == nullptr ? -1 : static_cast<int>(carrier->phase.load()),
                 carrier == nullptr || carrier->own == nullptr ? 0 : carrier->own->id.load(),
                 running == nullptr ? 0 : running->id.load());
  });
  std::map<std::string, int> places;
  int shown = 0;
  fiber::for_each([&](fiber::Fiber& fiber) {
    const Place place = fiber.place.load();
    const bool waits = place == Place::parked || place == Place::parked_home;
    const std::string text = std::string(name_of(place)) +
                             (waits ? std::string(" for ") + name_of(fiber.park_kind.load()) : "");
    ++places[text];
    if (place == Place::finished || ++shown > 200) return;
    std::fprintf(stderr, "  fiber %u: %s %p, permit %u, away %u, summoned %u\n", fiber.id.load(),
                 text.c_str(), fiber.waits_for.load(), fiber.permit.load(), fiber.door.away.load(),
                 fiber.door.summoned.load());
  });
  for (const auto& [text, count] : places) std::fprintf(stderr, "  %d %s\n", count, text.c_str());
}

}  // namespace weft::stress
