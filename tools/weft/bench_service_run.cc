// SPDX-License-Identifier: Apache-2.0
// Services in cgroups, and the loads of each suite.
#include "bench_service_run.h"

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "bench/interrupt.h"
#include "bench/statistics.h"
#include "bench_budget_rivals.h"
#include "bench_service_process.h"
#include "load/self_check.h"
#include "trial/interrupt.h"

namespace weft::tool {

namespace {

using Words = std::vector<std::string>;

constexpr int exit_void = 3;  // of `weft load`
// Enough for one CPU, and a half. With more, some would wait for longer than the admission lets
// them, and the rate would be that of refusals.
constexpr unsigned closed_connections = 4;
constexpr unsigned waiting_connections = 8;
constexpr unsigned ready_connections = 32;
constexpr unsigned items_to_fill = 100;
constexpr std::chrono::seconds longest_load{120};
constexpr double warm_up_seconds = 1;
constexpr double mega = 1e6;
constexpr double microseconds = 1e6;
constexpr double timeout_milliseconds = 10'000;
// Late by so much says that the host had stopped the generator; where it may sleep on a CPU that
// others use, and answers take a tenth of a second, by more.
constexpr double least_stall_milliseconds = 1;
constexpr double least_stall_in_quota_milliseconds = 10;

// The words that become a program in a cgroup: it must be there before it reads its budget.
Words in_cgroup(const sandbox::Cgroup* cgroup, const Words& words) {
  if (cgroup == nullptr) return words;
  Words all = {"/bin/sh", "-c", "echo $$ > \"$0\" && exec \"$@\"",
               cgroup->directory() + "/cgroup.procs"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

base::Result<QuotaCounters> read_counters(const sandbox::Cgroup& cgroup) {
  const auto text = os::read_text(cgroup.directory() + "/cpu.stat");
  if (!text) return text.error();
  return parse_quota_counters(*text);
}

}  // namespace

base::Result<RunningService> ServiceRunner::start(const ServiceCell& cell, const Words& environment,
                                                  const sandbox::Cgroup* cgroup) const {
  const std::string data = file("service");
  std::error_code error;
  std::filesystem::remove_all(data, error);
  std::filesystem::create_directories(data, error);
  Words words = {"/usr/bin/env", "HTTP_LISTEN=127.0.0.1:0", "ADMIN_LISTEN=127.0.0.1:0",
                 "GRPC_LISTEN=127.0.0.1:0", "DATABASE_URL=sqlite:" + data + "/data.db"};
  words.insert(words.end(), environment.begin(), environment.end());
  words.push_back(program_);
  std::vector<int> cpus = {cpus_.server};
  if (cgroup != nullptr) cpus.push_back(cpus_.generator);
  auto process =
      trial::BackgroundProcess::start(in_cgroup(cgroup, words), cpus, file("service.log"));
  if (!process) return process.error();
  std::optional<ServicePlaces> places;
  const auto ready = wait_until_ready(*process, [&] {
    const auto printed = process->printed();
    places = printed ? parse_places(*printed) : std::nullopt;
    return places.has_value();
  });
  if (!ready) return ready.error();
  RunningService service(std::move(*process), *std::move(places),
                         cell.waits ? profile_.waiting_target : profile_.target, cell.waits);
  if (const auto status = fill(service); !status) return status.error();
  return service;
}

base::Status ServiceRunner::fill(const RunningService& service) const {
  if (profile_.fill_path.empty()) return base::Done{};
  for (unsigned i = 0; i < items_to_fill; ++i) {
    const auto posted = output_of(
        {weft_, "load", service.origin() + profile_.fill_path, "--closed", "--connections", "1",
         "--requests", "1", "--method", "POST", "--header", "Content-Type: application/json",
         "--body", R"({"url":"https://example.org/)" + std::to_string(i) + R"("})"},
        trial::interruptible(std::chrono::seconds{20}));
    if (!posted) return posted.error();
  }
  return base::Done{};
}

base::Result<HttpMeasurement> ServiceRunner::load(const RunningService& service, Words words,
                                                  bool shares_cpus) const {
  Words all = {weft_,
               "load",
               service.url(),
               "--json",
               file("load.json"),
               "--cpu",
               std::to_string(cpus_.generator)};
  all.insert(all.end(), words.begin(), words.end());
  // On CPUs that the service may use as well, the generator comes first, or its lateness would be
  // taken for the service's.
  std::optional<sandbox::Cgroup> first;
  if (shares_cpus) {
    auto made = sandbox::Cgroup::create(std::nullopt);
    if (!made) return made.error();
    if (const auto status = made->prefer(); !status) return status.error();
    first.emplace(std::move(*made));
  }
  auto generator = trial::BackgroundProcess::start(in_cgroup(first ? &*first : nullptr, all),
                                                   {cpus_.generator}, file("load.log"));
  if (!generator) return generator.error();
  const auto code = generator->wait_for_end(longest_load);
  if (!code) return code.error();
  if (!service.process().is_running()) {
    return base::Error{"the service has died. Its last words:\n" + service.process().last_words()};
  }
  if (*code != 0 && *code != exit_void) {
    return base::Error{"weft load failed with exit code " + std::to_string(*code) + ": " +
                       generator->last_words()};
  }
  const auto text = os::read_text(file("load.json"));
  if (!text) return text.error();
  return parse_load_report(*text);
}

base::Result<HttpMeasurement> ServiceRunner::load_closed(const RunningService& service,
                                                         double seconds, bool shares_cpus) const {
  return load(service,
              {"--closed", "--connections",
               std::to_string(service.waits() ? waiting_connections : closed_connections),
               "--duration", milliseconds_text(seconds) + "ms"},
              shares_cpus);
}

base::Result<HttpMeasurement> ServiceRunner::load_by(const RunningService& service,
                                                     const std::vector<ServiceSegment>& segments,
                                                     bool shares_cpus) const {
  std::ofstream stream(file("segments.json"));
  stream << segments_text(segments);
  stream.close();
  if (!stream) return os::last_error("write", file("segments.json"));
  Words words = {
      "--schedule", file("segments.json"),         "--samples", file("samples.csv"),
      "--seed",     std::to_string(options_.seed), "--ready",   std::to_string(ready_connections)};
  if (!shares_cpus) words.emplace_back("--spin");
  return load(service, std::move(words), shares_cpus);
}

base::Result<std::vector<HttpSample>> ServiceRunner::read_samples() const {
  const auto csv = os::read_text(file("samples.csv"));
  if (!csv) return csv.error();
  return parse_samples(*csv, timeout_milliseconds);
}

base::Status ServiceRunner::calibrate(const ServiceCell& cell) {
  if (cell.suite != ServiceSuite::budget) return base::Done{};
  const auto cgroup = sandbox::Cgroup::create(sandbox::Quota{.cores = cell.cores});
  if (!cgroup) return cgroup.error();
  const auto service = start(cell, {}, &*cgroup);
  if (!service) return service.error();
  for (const double seconds : {warm_up_seconds, cell.times.closed_seconds}) {
    const auto measured = load_closed(*service, seconds, true);
    if (!measured) return measured.error();
    if (measured->goodput <= 0) return base::Error{"nothing was answered well"};
    capacities_[cell.name] = measured->goodput;
  }
  return base::Done{};
}

base::Result<TurnRun> ServiceRunner::run(const ServiceCell& cell,
                                         const ServiceContender& contender) {
  switch (cell.suite) {
    case ServiceSuite::budget:
      return run_in_quota(cell, contender);
    case ServiceSuite::overload:
      return run_overload(cell, contender);
    case ServiceSuite::models:
      return run_model(cell, contender);
  }
  return base::Error{"unknown suite"};
}

base::Result<TurnRun> ServiceRunner::run_in_quota(const ServiceCell& cell,
                                                  const ServiceContender& contender) {
  const auto cgroup = sandbox::Cgroup::create(sandbox::Quota{.cores = cell.cores});
  if (!cgroup) return cgroup.error();
  const auto service = start(cell, contender.environment, &*cgroup);
  if (!service) return service.error();
  if (const auto warm = load_closed(*service, warm_up_seconds, true); !warm) return warm.error();
  const auto before = read_counters(*cgroup);
  const auto measured = load_by(*service, burst_segments(capacities_[cell.name], cell.times), true);
  if (!measured) return measured.error();
  const auto after = read_counters(*cgroup);
  if (!before || !after) return before ? after.error() : before.error();
  const QuotaCounters counters = between(*before, *after);
  const auto samples = read_samples();
  if (!samples) return samples.error();
  const double length = cell.times.open_seconds;
  const CalmPart calm = calm_part(*samples, 0, length, least_stall_in_quota_milliseconds);
  std::vector<double> good;
  for (const HttpSample& sample : calm.samples) {
    if (sample.is_good) good.push_back(sample.latency);
  }
  TurnRun run;
  run.void_because =
      measured->generator_cpu > load::most_work_share ? measured->void_because : calm.void_because;
  run.numbers = {
      {"goodput", measured->goodput},
      {"p50", bench::quantile(good, 0.5)},
      {"p99", bench::quantile(good, 0.99)},
      {"all_p99", measured->p99},
      {"stalled", calm.stalled_seconds / length},
      {"refused", measured->rejected},
      {"failed", measured->failed},
      {"throttled_periods", counters.throttled_periods / std::max(1.0, counters.periods)},
      {"throttled_time", counters.throttled_seconds / length},
      {"threads", service->threads()},
      {"memory", memory_bytes_of(service->id()) / mega}};
  return run;
}

base::Result<TurnRun> ServiceRunner::run_overload(const ServiceCell& cell,
                                                  const ServiceContender& contender) {
  const auto service = start(cell, contender.environment, nullptr);
  if (!service) return service.error();
  const auto closed = [&](double seconds) {
    return cell.is_grpc ? load_grpc_closed(*service, seconds)
                        : load_closed(*service, seconds, false);
  };
  if (const auto warm = closed(warm_up_seconds); !warm) return warm.error();
  const auto capacity = closed(cell.times.closed_seconds);
  if (!capacity) return capacity.error();
  if (capacity->goodput <= 0) return base::Error{"nothing was answered well"};
  // What it still does of the closed loop must not be taken for an overload.
  const std::chrono::duration<double> pause(cell.times.pause_seconds);
  const auto paused = sleep_through(std::chrono::duration_cast<std::chrono::milliseconds>(pause));
  if (!paused) return paused.error();
  const CpuShares window({service->id()});
  const auto segments = overload_segments(capacity->goodput, cell.overload, cell.times);
  const auto measured =
      cell.is_grpc ? load_grpc_by(*service, segments) : load_by(*service, segments, false);
  if (!measured) return measured.error();
  const auto samples = read_samples();
  if (!samples) return samples.error();
  const double quiet = cell.times.quiet_seconds;
  const double length = cell.times.overload_seconds;
  const CalmPart calm = calm_part(*samples, quiet, length, least_stall_milliseconds);
  const auto all = overload_numbers(*samples, quiet, length);
  const auto numbers = overload_numbers(calm.samples, quiet, length, calm.stalled_seconds);
  TurnRun run;
  if (measured->generator_cpu > load::most_work_share) {
    run.void_because = measured->void_because;
  } else if (!calm.void_because.empty()) {
    run.void_because = calm.void_because;
  } else if (!all || !numbers) {
    run.void_because = "nothing was answered well before the overload, with which to compare";
  }
  if (!run.void_because.empty()) return run;
  run.numbers = {{"capacity", capacity->goodput},
                 {"stalled", calm.stalled_seconds / length},
                 {"all_p99", all->p99},
                 {"goodput", numbers->goodput},
                 {"goodput_share", numbers->goodput / capacity->goodput},
                 {"unloaded_p99", numbers->unloaded_p99},
                 {"overload_p50", numbers->p50},
                 {"overload_p99", numbers->p99},
                 {"p99_ratio", numbers->p99 / numbers->unloaded_p99},
                 {"settled_p99", numbers->settled_p99},
                 {"settled_ratio", numbers->settled_p99 / numbers->unloaded_p99},
                 {"failed", measured->failed},
                 {"recovery", numbers->recovery},
                 {"server_cpu", window.read()[0]},
                 {"load_cpu", measured->generator_cpu}};
  return run;
}

base::Result<TurnRun> ServiceRunner::run_model(const ServiceCell& cell,
                                               const ServiceContender& contender) {
  const auto service = start(cell, {profile_.model_variable + "=" + contender.name}, nullptr);
  if (!service) return service.error();
  if (const auto warm = load_closed(*service, warm_up_seconds, false); !warm) return warm.error();
  const CpuShares window({service->id()});
  const auto measured = load_closed(*service, cell.times.closed_seconds, false);
  if (!measured) return measured.error();
  const double share = window.read()[0];
  TurnRun run;
  run.void_because = measured->void_because;
  run.numbers = {{"goodput", measured->goodput},
                 {"p50", measured->p50},
                 {"p99", measured->p99},
                 {"threads", service->threads()},
                 {"memory", memory_bytes_of(service->id()) / mega}};
  if (measured->goodput > 0) run.numbers["server_us"] = microseconds * share / measured->goodput;
  return run;
}

}  // namespace weft::tool
