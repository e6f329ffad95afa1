// SPDX-License-Identifier: Apache-2.0
// A run: what can be known before is checked before, then threads, then one report out of theirs.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "load/closed_loop.h"
#include "load/load.h"
#include "load/open_loop.h"
#include "load/thread_usage.h"
#include "os/affinity.h"

namespace weft::load {
namespace {

// From the last thread that is ready to the first request.
constexpr nanoseconds head_start = std::chrono::milliseconds{20};
constexpr auto look_every = std::chrono::milliseconds{200};
constexpr unsigned most_threads = 64;

// Runs a function on each of so many threads, and watches them until the last has ended.
class Crew {
 public:
  Crew(const Plan& plan, SharedProgress& progress) : plan_(plan), progress_(progress) {}

  void run(unsigned threads, const std::function<void(unsigned)>& work, const Watcher& watcher,
           const std::function<Progress()>& look) {
    left_ = threads;
    std::vector<std::thread> crew;
    for (unsigned i = 0; i < threads; ++i) {
      crew.emplace_back([this, &work, i] {
        set_up_thread(plan_.cpus.empty() ? -1 : plan_.cpus[i % plan_.cpus.size()]);
        work(i);
        const std::lock_guard lock(mutex_);
        usage_.cpu += thread_cpu();
        usage_.waited += thread_waited();
        --left_;
        ended_.notify_one();
      });
    }
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, look_every, [this] { return left_ == 0; })) {
      lock.unlock();
      if (watcher && !watcher(look())) progress_.stop.store(true, std::memory_order_relaxed);
      lock.lock();
    }
    lock.unlock();
    for (std::thread& thread : crew) thread.join();
  }

  const Usage& usage() const noexcept { return usage_; }

 private:
  const Plan& plan_;
  SharedProgress& progress_;
  std::mutex mutex_;
  std::condition_variable ended_;
  unsigned left_ = 0;  // guarded by mutex_
  Usage usage_;        // guarded by mutex_, until all have ended
};

base::Status check(const Plan& plan) {
  if (plan.threads == 0 || plan.threads > most_threads) {
    return base::Error{"from 1 to 64 threads can be had, not " + std::to_string(plan.threads)};
  }
  if (plan.timeout <= nanoseconds{0}) return base::Error{"the time-out is not above 0"};
  for (const int cpu : plan.cpus) {
    if (auto fine = check_cpu(cpu); !fine) return fine;
  }
  const unsigned connections = plan.closed ? plan.closed->connections : plan.most_connections;
  if (connections < plan.threads) {
    return base::Error{"there are fewer connections (" + std::to_string(connections) +
                       ") than threads (" + std::to_string(plan.threads) + ")"};
  }
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t others = 64;
  if (limit.rlim_cur != RLIM_INFINITY && connections + others > limit.rlim_cur) {
    return base::Error{std::to_string(connections) + " connections are more than the " +
                       std::to_string(limit.rlim_cur) +
                       " files this process may open; see ulimit -Hn"};
  }
  if (plan.closed) {
    if (plan.closed->duration <= nanoseconds{0}) return base::Error{"the duration is not above 0"};
    // A thread's part of none would mean: no end.
    if (plan.closed->requests != 0 && plan.closed->requests < plan.threads) {
      return base::Error{"there are fewer requests than threads"};
    }
  } else if (plan.schedule.starts.empty()) {
    return base::Error{"the schedule is empty"};
  } else if (plan.schedule.starts.size() > most_requests()) {
    return base::Error{"the schedule has more requests than there is memory for their samples"};
  }
  return base::Done{};
}

// What is divided among threads: the first ones have one more where it does not come out even.
template <class Number>
Number share_of(Number whole, unsigned threads, unsigned thread) {
  return whole / threads + (thread < whole % threads ? 1 : 0);
}

struct Setting {
  const Plan& plan;
  const Targets& targets;
  const TlsContext* tls;
  const Watcher& watcher;
};

// One Wire for each thread.
base::Result<std::vector<Wire>> make_wires(const Setting& setting) {
  std::vector<Wire> wires;
  for (unsigned i = 0; i < setting.plan.threads; ++i) {
    auto wire = Wire::make(setting.targets, setting.tls);
    if (!wire) return wire.error();
    wires.push_back(std::move(*wire));
  }
  return wires;
}

Progress progress_of(const SharedProgress& shared, SteadyClock::time_point origin,
                     nanoseconds length) {
  return {std::max<nanoseconds>(SteadyClock::now() - origin, nanoseconds{0}), length,
          shared.begun.load(std::memory_order_relaxed),
          shared.ended.load(std::memory_order_relaxed),
          shared.failed.load(std::memory_order_relaxed)};
}

base::Result<Report> run_open(const Setting& setting) {
  const Plan& plan = setting.plan;
  auto wires = make_wires(setting);
  if (!wires) return wires.error();
  Report report;
  report.phases = plan.schedule.phases;
  report.length = plan.schedule.length;
  report.seed = plan.schedule.seed;
  const auto phases = phases_of(plan.schedule);
  const auto requests = choose_requests(plan.requests, phases.size(), plan.schedule.seed);
  report.samples.resize(phases.size());
  for (std::size_t i = 0; i < phases.size(); ++i) {
    report.samples[i].intended = plan.schedule.starts[i];
    report.samples[i].phase = phases[i];
    report.samples[i].request = requests[i];
  }
  SharedProgress shared;
  std::vector<std::unique_ptr<OpenLoop>> loops;
  for (unsigned i = 0; i < plan.threads; ++i) {
    const OpenLoopPart part{i, plan.threads, share_of(plan.most_connections, plan.threads, i),
                            share_of(plan.ready_connections, plan.threads, i)};
    loops.push_back(std::make_unique<OpenLoop>(plan, setting.targets, part, std::move((*wires)[i]),
                                               report.samples, shared));
  }
  // The run starts when the last thread has its connections.
  SteadyClock::time_point origin;
  std::atomic<bool> has_started{false};
  std::barrier ready(static_cast<std::ptrdiff_t>(plan.threads), [&]() noexcept {
    origin = SteadyClock::now() + head_start;
    has_started.store(true);
  });
  const auto work = [&](unsigned thread) {
    loops[thread]->get_ready();
    ready.arrive_and_wait();
    loops[thread]->run(origin);
  };
  Crew crew(plan, shared);
  crew.run(plan.threads, work, setting.watcher, [&] {
    return has_started.load() ? progress_of(shared, origin, report.length)
                              : Progress{.length = report.length};
  });
  report.usage = crew.usage();
  // Without the time in which the last answers, or time-outs, are only waited for.
  report.usage.wall = std::min<nanoseconds>(SteadyClock::now() - origin, report.length);
  report.was_stopped = shared.stop.load();
  report.summary = summarise(report.samples, report.phases, report.length, plan.timeout);
  for (const auto& loop : loops) {
    report.usage.spinning += loop->spinning();
    report.connections += loop->connections();
    report.summary.waited_for_connection += loop->waited_for_connection();
  }
  return report;
}

Quantiles quantiles_of(const measure::Snapshot& snapshot) {
  return {snapshot.count(),        snapshot.quantile(0.5),   snapshot.quantile(0.9),
          snapshot.quantile(0.99), snapshot.quantile(0.999), snapshot.quantile(0.9999),
          snapshot.quantile(1),    snapshot.mean()};
}

Summary summarise(const Tally& tally, nanoseconds length) {
  Summary summary;
  summary.served = quantiles_of(tally.served);
  summary.rejected = quantiles_of(tally.rejected);
  summary.connect = quantiles_of(tally.connect);
  summary.counts = tally.counts;
  std::uint64_t answered = 0;
  for (unsigned status = 0; status < tally.statuses.size(); ++status) {
    if (tally.statuses[status] != 0) summary.statuses[status] = tally.statuses[status];
  }
  for (std::size_t i = 0; i < outcome_count; ++i) {
    if (is_answered(static_cast<Outcome>(i))) answered += tally.counts[i];
  }
  const double seconds = std::chrono::duration<double>(length).count();
  if (seconds > 0) {
    summary.answered_rate = static_cast<double>(answered) / seconds;
    summary.goodput =
        static_cast<double>(tally.counts[static_cast<std::size_t>(Outcome::good)]) / seconds;
  }
  summary.offered_rate = summary.answered_rate;  // each asks when it is answered
  return summary;
}

base::Result<Report> run_closed(const Setting& setting) {
  const Plan& plan = setting.plan;
  auto wires = make_wires(setting);
  if (!wires) return wires.error();
  Report report;
  report.seed = plan.schedule.seed;
  SharedProgress shared;
  std::vector<std::unique_ptr<ClosedLoop>> loops;
  for (unsigned i = 0; i < plan.threads; ++i) {
    loops.push_back(std::make_unique<ClosedLoop>(
        plan, setting.targets, share_of(plan.closed->connections, plan.threads, i),
        share_of(plan.closed->requests, plan.threads, i), report.seed + i, std::move((*wires)[i]),
        shared));
  }
  const auto origin = SteadyClock::now();
  Crew crew(plan, shared);
  crew.run(
      plan.threads, [&](unsigned thread) { loops[thread]->run(origin); }, setting.watcher,
      [&] { return progress_of(shared, origin, plan.closed->duration); });
  report.usage = crew.usage();
  report.usage.wall = SteadyClock::now() - origin;
  report.was_stopped = shared.stop.load();
  Tally tally;
  for (const auto& loop : loops) {
    tally.add(loop->tally());
    report.connections += loop->connections();
    report.length = std::max(report.length, loop->last_end());
    report.samples.insert(report.samples.end(), loop->samples().begin(), loop->samples().end());
  }
  std::sort(report.samples.begin(), report.samples.end(),
            [](const Sample& one, const Sample& other) { return one.end < other.end; });
  report.phases = {{"closed loop", PhaseKind::quiet, nanoseconds{0}, report.length}};
  report.summary = summarise(tally, report.length);
  return report;
}

}  // namespace

std::size_t most_requests() {
  constexpr std::uint64_t usual_memory = std::uint64_t{4} << 30;
  const std::uint64_t memory = os::physical_memory_bytes().value_or(usual_memory);
  // Beside a sample: its start, its phase, its connection, and its latency when they are sorted.
  constexpr std::uint64_t bytes_each = sizeof(Sample) + 64;
  return static_cast<std::size_t>(memory / 4 / bytes_each);
}

base::Result<Report> run(const Plan& plan, const Watcher& watcher) {
  if (auto fine = check(plan); !fine) return fine.error();
  const auto targets = prepare(plan.requests, plan.new_connection_each);
  if (!targets) return targets.error();
  const bool is_secure = std::any_of(targets->endpoints.begin(), targets->endpoints.end(),
                                     [](const Endpoint& endpoint) { return endpoint.is_secure; });
  auto tls = is_secure ? TlsContext::make(plan.trusts_anybody, plan.authorities_file)
                       : base::Result<TlsContext>(TlsContext{});
  if (!tls) return tls.error();
  const nanoseconds throttled_before = plan.throttled ? plan.throttled() : nanoseconds{0};
  const Setting setting{plan, *targets, &*tls, watcher};
  auto report = plan.closed ? run_closed(setting) : run_open(setting);
  if (!report) return report;
  report->usage.threads = plan.threads;
  if (plan.throttled) report->usage.throttled = plan.throttled() - throttled_before;
  report->check = plan.closed ? check_closed_loop(report->usage)
                              : check_open_loop(report->summary.slip.p99,
                                                report->summary.served.p99, report->usage);
  return report;
}

}  // namespace weft::load
