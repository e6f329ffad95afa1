// SPDX-License-Identifier: Apache-2.0
// The workers' and the monitor's loops.
#include "pool/adaptive_crew.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <exception>
#include <iterator>
#include <new>
#include <system_error>
#include <utility>

#include "os/futex.h"

namespace weft::pool {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;  // the same clock as the engine's

constexpr std::size_t most_workers_in_a_look = 8;  // one costs about 5 us
// To open and close a worker's files costs more than to read them.
constexpr int most_opened_in_a_look = 2;
// So many take turns in being looked at, while in jobs; one makes room for another after some
// looks.
constexpr std::size_t watched_workers = 16;
constexpr std::uint32_t looks_for_a_change = 8;
constexpr std::ptrdiff_t most_workers_with_files = 32;
constexpr nanoseconds longest_sleep = 1s;  // of the monitor
constexpr nanoseconds slow_to_run = 1ms;   // whoever searches for so long has not got a CPU
// Until threads that were started are seen in the word.
constexpr nanoseconds time_to_start = 200us;

// Looking for work while the next job is on its way saves two system calls, where there is a CPU
// for it.
std::uint32_t spins_for(std::uint32_t cpus) {
  constexpr std::uint32_t spins = 500;
  return cpus > 1 ? spins : 0;
}

Controller::Options options_of(const PoolOptions& options) {
  return {.minimum = options.minimum,
          .maximum = options.maximum,
          .reserve = options.reserve,
          .shrink_interval = options.shrink_interval};
}

}  // namespace

AdaptiveCrew::AdaptiveCrew(PoolOptions options)
    : Crew(std::move(options)),
      dispatch_({.capacity = this->options().capacity,
                 .newest_first_above = this->options().overload.newest_first_above,
                 .spins = spins_for(this->options().cpus)}),
      controller_(options_of(this->options())),
      cpus_(this->options().cpus) {
  dispatch_.allow(controller_.first_allowed(this->options().cpus));
  const std::uint32_t threads = controller_.first_threads();
  while (threads_.load() < threads && start_worker()) continue;
  if (threads_.load() == 0) {
    throw std::system_error(EAGAIN, std::generic_category(), "weft: a pool needs a thread");
  }
  try {
    monitor_ = std::thread([this] { watch(); });
  } catch (...) {
    drain();
    throw;
  }
}

AdaptiveCrew::~AdaptiveCrew() {
  drain();
}

Submitted AdaptiveCrew::submit(Job& job, bool waits, const CancelToken& token) noexcept {
  if (!token.stop_token().stop_possible()) return book(dispatch_.submit(job, waits));
  const OnCancel wake(token, [this] { dispatch_.wake_submitters(); });
  return book(dispatch_.submit(job, waits, token));
}

void AdaptiveCrew::Worker::run() {
  crew_.begin_thread();
  SteadyClock::time_point now = SteadyClock::now();
  times.begin_thread(static_cast<std::uint32_t>(::gettid()), now.time_since_epoch());
  crew_.dispatch_.enter();
  blocker_of_this_thread() = this;
  while (Job* const job = crew_.dispatch_.next(seat_)) {
    now = SteadyClock::now();
    times.begin_job(now.time_since_epoch());
    now = crew_.runner().run(*job, now);
    times.end_job(now.time_since_epoch());
  }
  blocker_of_this_thread() = nullptr;
  crew_.end_thread();
  ended.store(true, std::memory_order_release);
}

void AdaptiveCrew::Worker::block() noexcept {
  times.end_job(SteadyClock::now().time_since_epoch());
  crew_.blocked_.fetch_add(1, std::memory_order_relaxed);
  crew_.dispatch_.block();
}

void AdaptiveCrew::Worker::unblock() noexcept {
  crew_.dispatch_.unblock();
  crew_.blocked_.fetch_sub(1, std::memory_order_relaxed);
  times.begin_job(SteadyClock::now().time_since_epoch());
}

bool AdaptiveCrew::start_worker() {
  const std::size_t before = workers_.size();
  try {
    Worker& worker = workers_.emplace_back(*this);
    worker.thread = std::thread([&worker] { worker.run(); });
  } catch (const std::exception&) {  // no thread is left, or no memory
    if (workers_.size() != before) workers_.pop_back();
    return false;
  }
  threads_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

Look AdaptiveCrew::glance(os::Instant now) {
  const Word word = dispatch_.word();
  Look look{.now = now.time_since_epoch(),
            .queued = word.queued(),
            .active = word.active(),
            .blocked = blocked_.load(std::memory_order_relaxed),
            .threads = threads_.load(std::memory_order_relaxed),
            .cpus = cpus_.load(std::memory_order_relaxed)};
  if (look.queued != 0) {
    const os::Instant oldest = dispatch_.oldest();
    // A job that was held back says nothing of how many workers there should be.
    const os::Instant since = std::max(oldest, held_until_);
    if (since < now) look.oldest_waited = now - since;
  }
  return look;
}

Look AdaptiveCrew::see(os::Instant now) {
  Look look = glance(now);
  std::list<Worker> looked;
  int opened = 0;
  for (auto next = workers_.begin();
       next != workers_.end() && looked.size() != most_workers_in_a_look;) {
    const auto worker = next++;
    const bool had_files = worker->times.has_files();
    if (!had_files && opened == most_opened_in_a_look) continue;
    const WorkerTimes::Seen seen = worker->times.look(now.time_since_epoch());
    if (!had_files && worker->times.has_files()) ++opened;
    if (!seen.in_jobs) continue;
    look.ran += seen.ran;
    look.blocked_for += seen.blocked;
    looked.splice(looked.end(), workers_, worker);
  }
  put_back(looked);
  close_old_files();
  return look;
}

// Whoever was looked at goes behind the others that are watched. All could take turns, but to open
// a worker's files costs more than to read them; so one at a time makes room for another.
void AdaptiveCrew::put_back(std::list<Worker>& looked) {
  const std::size_t before = std::min(workers_.size(), watched_workers - looked.size());
  workers_.splice(std::next(workers_.begin(), static_cast<std::ptrdiff_t>(before)), looked);
  if (workers_.size() <= watched_workers || ++looks_ % looks_for_a_change != 0) return;
  workers_.splice(workers_.end(), workers_, workers_.begin());
}

void AdaptiveCrew::close_old_files() {
  std::ptrdiff_t open = std::count_if(workers_.begin(), workers_.end(), [](const Worker& worker) {
    return worker.times.has_files();
  });
  for (auto worker = workers_.rbegin(); open > most_workers_with_files; ++worker) {
    if (!worker->times.has_files()) continue;
    worker->times.close_files();
    --open;
  }
}

void AdaptiveCrew::follow(const Decision& decision) {
  start_workers(decision.start);
  if (decision.retire && dispatch_.retire_one()) {
    threads_.fetch_sub(1, std::memory_order_relaxed);
    books().retired.fetch_add(1, std::memory_order_relaxed);
  }
}

std::uint32_t AdaptiveCrew::start_workers(std::uint32_t count) {
  const std::uint32_t awaited = count - std::min(count, options().reserve);
  std::uint32_t started = 0;
  // Where the system has none left, the next look tries again.
  while (started < count && start_worker()) {
    // The reserve is made when those had a turn. Once: where others compute, a turn may be long.
    if (++started == awaited) std::this_thread::yield();
  }
  books().grown.fetch_add(started, std::memory_order_relaxed);
  return started;
}

void AdaptiveCrew::rest_until(os::Instant next_look) {
  // With all the threads that there may be, nobody can help a job that waits for one.
  while (threads_.load(std::memory_order_relaxed) < options().maximum) {
    const bool lacks_threads = dispatch_.rest_as_monitor(next_look);
    const os::Instant now = os::MonotonicClock::now();
    if (now >= next_look) return;
    if (!lacks_threads) {
      if (dispatch_.word().closed()) return;
      continue;
    }
    const std::uint32_t missing = controller_.missing_threads(glance(now));
    if (start_workers(missing) < missing) break;
    // Until they have begun, the word goes on to say that they lack.
    os::futex_wait(never_woken_, 0, std::min(next_look, os::MonotonicClock::now() + time_to_start));
  }
  os::futex_wait(never_woken_, 0, next_look);
}

void AdaptiveCrew::join_ended() {
  workers_.remove_if([](Worker& worker) {
    if (!worker.ended.load(std::memory_order_acquire)) return false;
    worker.thread.join();  // it is over, but for its last instructions
    return true;
  });
}

void AdaptiveCrew::watch() {
  for (;;) {
    const Word word = dispatch_.word();
    // Until then it goes on: jobs that wait for each other need their workers to the last.
    if (word.closed() && word.queued() == 0) return;
    const os::Instant now = os::MonotonicClock::now();
    const Look look = see(now);
    const Decision decision = controller_.look(look);
    follow(decision);
    if (look.oldest_waited >= slow_to_run) dispatch_.nudge();
    join_ended();
    ration_until(now + std::min(decision.next_look, longest_sleep), decision);
  }
}

void AdaptiveCrew::follow_quota() {
  if (!quota_is_new_.exchange(false, std::memory_order_acquire)) return;
  const std::scoped_lock guard(quota_lock_);
  ration_.reset();
  try {
    if (quota_) ration_.emplace(*quota_);
  } catch (const std::bad_alloc&) {
    quota_is_new_.store(true, std::memory_order_relaxed);  // the next look tries again
  }
}

RationAnswer AdaptiveCrew::ask_ration(os::Instant now) {
  return ration_->look(now, books().busy.load(std::memory_order_relaxed),
                       books().done.load(std::memory_order_relaxed),
                       cpus_.load(std::memory_order_relaxed));
}

void AdaptiveCrew::ration_until(os::Instant next_look, const Decision& decision) {
  os::Instant now;
  do {
    follow_quota();
    now = os::MonotonicClock::now();
    RationAnswer answer;
    if (ration_) answer = ask_ration(now);
    if (answer.may_begin) {
      const std::uint32_t more = std::min(answer.jobs, decision.allowed);
      dispatch_.allow(std::min(decision.allowed, dispatch_.word().active() + more));
    } else {
      dispatch_.allow(0);
      held_until_ = now + answer.next_look;
      next_look = std::max(next_look, held_until_);  // nothing is to be seen of who is held back
      books().held.fetch_add(1, std::memory_order_relaxed);
    }
    if (decision.may_sleep && answer.may_sleep) return dispatch_.sleep_as_monitor(next_look);
    rest_until(ration_ ? std::min(next_look, now + answer.next_look) : next_look);
    // It would have slept, and somebody waits.
    if (decision.may_sleep && dispatch_.word().queued() != 0) return;
    now = os::MonotonicClock::now();
  } while (now < next_look && !dispatch_.word().closed());
}

void AdaptiveCrew::close() noexcept {
  dispatch_.close();
}

void AdaptiveCrew::drain() noexcept {
  close();
  if (monitor_.joinable()) monitor_.join();
  for (Worker& worker : workers_) {
    if (worker.thread.joinable()) worker.thread.join();
  }
  workers_.clear();
  threads_.store(0, std::memory_order_relaxed);
}

void AdaptiveCrew::set_cpus(std::uint32_t cpus) noexcept {
  cpus_.store(cpus, std::memory_order_relaxed);
  dispatch_.set_spins(spins_for(cpus));
  dispatch_.wake_monitor();
}

void AdaptiveCrew::set_quota(const std::optional<budget::CpuQuota>& quota) {
  {
    const std::scoped_lock guard(quota_lock_);
    quota_ = quota;
  }
  quota_is_new_.store(true, std::memory_order_release);
  dispatch_.wake_monitor();
}

PoolCounters AdaptiveCrew::counters() const {
  PoolCounters counters = common_counters();
  const Word word = dispatch_.word();
  counters.threads = threads_.load(std::memory_order_relaxed);
  counters.parked = word.parked();
  counters.queued = word.queued();
  counters.allowed = word.allowed();
  counters.cpus = cpus_.load(std::memory_order_relaxed);
  return counters;
}

}  // namespace weft::pool
