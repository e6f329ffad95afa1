// SPDX-License-Identifier: Apache-2.0
// The monitor's rounds.
#include "sched/monitor.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include <utility>

#include "fiber/libc.h"
#include "fiber/table.h"
#include "os/check.h"
#include "os/futex.h"
#include "os/system_call.h"
#include "os/task_file.h"
#include "sched/poller.h"
#include "sched/runtime.h"

namespace weft::sched {

using fiber::Fiber;

namespace {

// So many ticks with everybody asleep, and the monitor sleeps too: a short pause wakes nobody.
constexpr std::uint32_t quiet_ticks_before_sleep = 25;

// So many looks that showed nothing new, and the next ones are further apart: by then whoever
// sleeps in the kernel has been relieved, and whoever computes will go on for a while.
constexpr std::uint32_t still_looks_before_patience = 6;
constexpr int ticks_of_patience = 4;

constexpr auto time_between_updates = std::chrono::milliseconds{100};

}  // namespace

Monitor::Monitor(Runtime& runtime, const MonitorOptions& options)
    : runtime_(runtime), options_(options), seen_(new Seen[runtime.most_workers()]) {
  if (options.publish) statistics_ = std::make_unique<Statistics>();
  const int error = fiber::create_undisturbed(thread_, main, this);
  os::check(error == 0, "weft: no kernel thread left for the monitor; raise `ulimit -u`");
}

Monitor::~Monitor() {
  stopping_.store(true, std::memory_order_seq_cst);
  wake();
  fiber::libc().join(thread_, nullptr);
}

void* Monitor::main(void* self) {
  os::call(SYS_prctl, PR_SET_NAME, "weft-monitor");
  static_cast<Monitor*>(self)->run();
  return nullptr;
}

void Monitor::run() {
  while (!stopping_.load(std::memory_order_seq_cst)) {
    const os::Instant now = os::MonotonicClock::now();
    ++still_looks_;
    runtime_.for_each_worker([&](Worker& worker) { look_after(worker, seen_[worker.index], now); });
    attend_outside();
    look_after_loans(now);
    const bool all_asleep = everybody_sleeps();
    quiet_ticks_ = all_asleep ? quiet_ticks_ + 1 : 0;
    const bool goes_to_sleep = quiet_ticks_ > quiet_ticks_before_sleep;
    if (statistics_ != nullptr && (goes_to_sleep || now >= next_update_)) {
      statistics_->update(runtime_, *this, runtime_.spares());
      next_update_ = now + time_between_updates;
    }
    sleep(goes_to_sleep);
  }
}

void Monitor::sleep(bool all_asleep) {
  if (!all_asleep) {
    const bool patient = still_looks_ > still_looks_before_patience;
    os::futex_wait(asleep_, 0,
                   os::MonotonicClock::now() + options_.tick * (patient ? ticks_of_patience : 1));
    return;
  }
  asleep_.store(1, std::memory_order_seq_cst);
  // Pairs with get_up() before somebody_is_up(): either it sees us asleep, or we see it up.
  base::atomic_thread_fence(std::memory_order_seq_cst);
  while (asleep_.load(std::memory_order_seq_cst) == 1 && everybody_sleeps() &&
         !stopping_.load(std::memory_order_seq_cst)) {
    os::futex_wait(asleep_, 1);
  }
  asleep_.store(0, std::memory_order_relaxed);
  quiet_ticks_ = 0;
}

// A thread that runs in a sleeper's place keeps it from others as a carrier does, and no longer.
void Monitor::look_after_loans(os::Instant now) {
  if (runtime_.idle().borrowed() == 0 || !runtime_.anything_to_share()) {
    loans_disputed_since_ = now;
    return;
  }
  const bool also_running = now - loans_disputed_since_ >= options_.patience_running;
  fiber::for_each([&](Fiber& fiber) {
    const bool is_on_loan = fiber.loan.load(std::memory_order_relaxed) == fiber::Loan::borrowed;
    if (is_on_loan && (also_running || is_asleep(fiber.id))) runtime_.call_in_loan(fiber);
  });
}

bool Monitor::everybody_sleeps() noexcept {
  IdleWorkers& idle = runtime_.idle();
  return idle.sleeping() >= runtime_.workers() && idle.borrowed() == 0 &&
         !idle.poller_is_unattended();
}

void Monitor::wake() noexcept {
  asleep_.store(0, std::memory_order_seq_cst);
  os::futex_wake(asleep_);
}

void Monitor::look_after(Worker& worker, Seen& seen, os::Instant now) {
  Carrier* const carrier = worker.carrier.load(std::memory_order_acquire);
  Fiber* const next = worker.next.load(std::memory_order_relaxed);
  const std::uint64_t switches =
      carrier == nullptr ? 0 : carrier->switches.load(std::memory_order_relaxed);
  if (worker.unmanned.load(std::memory_order_relaxed) && worker.unmanned.exchange(false)) {
    runtime_.man(worker);  // perhaps the system has a thread now
  }
  if (carrier == nullptr || carrier != seen.carrier || switches != seen.switches) {
    still_looks_ = 0;
    seen = {.carrier = carrier, .switches = switches, .since = now, .next = next};
    return;
  }
  if (carrier->phase.load(std::memory_order_relaxed) != in_fiber_of(worker)) {
    still_looks_ = 0;  // it may begin something
    seen.since = now;
    return;
  }
  IdleWorkers& idle = runtime_.idle();
  const bool others_are_free = (idle.sleeping() != 0 || idle.anybody_searches()) &&
                               worker.pinned.empty();  // which nobody else may run
  if (others_are_free) {
    // It woke a fiber and did not stop, as it usually does: somebody else may have the fiber.
    if (next != nullptr && next == seen.next) runtime_.share_next(worker);
    seen.next = next;
    return;
  }
  const auto cpu_time = os::cpu_time_of(carrier->own->id);
  // Who runs is not asleep, and a call into /proc costs more than all the rest.
  const bool has_run = std::exchange(seen.cpu_time, cpu_time) != cpu_time;
  if (seen.cpu_time_before.count() < 0) seen.cpu_time_before = cpu_time;
  const bool others_wait =
      runtime_.anything_to_share() || next != nullptr || !worker.pinned.empty();
  if (others_wait) carrier->attention.store(1, std::memory_order_relaxed);
  if (now - seen.since < options_.patience_asleep) return;
  const bool asleep = !has_run && is_asleep(carrier->own->id);
  const auto ran_for = cpu_time - seen.cpu_time_before;
  if (asleep || (others_wait && ran_for >= options_.patience_running)) {
    relieve(worker, *carrier, asleep);
  }
}

bool Monitor::is_asleep(std::uint32_t thread_id) noexcept {
  bool asleep = false;
  reader_.run([&] { asleep = os::is_asleep(thread_id); });
  return asleep;
}

void Monitor::relieve(Worker& worker, Carrier& carrier, bool asleep_in_kernel) {
  // One that sleeps costs memory; one that runs takes its share of a CPU that is not there.
  const bool too_many = asleep_in_kernel
                            ? runtime_.relieved_asleep() >= options_.most_relieved_asleep
                            : runtime_.relieved_running() >= options_.most_relieved_running;
  if (too_many) {
    not_relieved_.add();
    return;
  }
  // Pairs with the store in switching.cc: what is read of its record was written before.
  Fiber* const stuck = carrier.running.load(std::memory_order_acquire);
  // Pairs with the compare-and-swap in Runtime::run(), and with the load in make_ready().
  runtime_.count_relieved(carrier, asleep_in_kernel);
  Phase expected = in_fiber_of(worker);
  if (!carrier.phase.compare_exchange_strong(expected, Phase::relieved)) {
    runtime_.uncount_relieved(carrier);
    return;
  }
  carrier.attention.store(1, std::memory_order_relaxed);
  reader_.run([&] { stuck_calls_.record(carrier.own->id, stuck, asleep_in_kernel); });
  relieved_.add();
  worker.carrier.store(nullptr, std::memory_order_relaxed);
  runtime_.man(worker);
}

// What nobody has looked at since the last tick.
void Monitor::attend_outside() {
  std::uint64_t polls = 0;
  runtime_.for_each_worker([&](Worker& worker) { polls += worker.polls.value(); });
  const bool nobody_polled = polls == polls_seen_;
  polls_seen_ = polls;
  if (!nobody_polled) return;
  // Somebody who sleeps can do it, and will stay there. Otherwise all are busy, and it is for us.
  if (runtime_.idle().poller_is_unattended()) {
    runtime_.idle().attend_poller();
  } else if (runtime_.idle().sleeping() == 0) {
    runtime_.look_outside();
  }
}

}  // namespace weft::sched
