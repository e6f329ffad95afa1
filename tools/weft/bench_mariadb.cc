// SPDX-License-Identifier: Apache-2.0
// Loads the three servers in turn, and puts the report together.
//
// Each mode is a server process of its own, on a copy of the same data. All of them are up at the
// same time, loaded one after the other, A B C, C B A. They are started anew every few rounds:
// where a process got its pages by luck, it keeps that luck to its end. A run that fails costs its
// own number and a start of its server, not what others have shown.
#include "bench_mariadb.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/interrupt.h"
#include "bench/rivals.h"
#include "bench_mariadb_samples.h"
#include "bench_mariadb_table.h"
#include "os/file.h"
#include "trial/cpus.h"
#include "trial/loaded_server.h"
#include "trial/mariadb.h"

namespace weft::tool {
namespace {

using std::chrono::seconds;

constexpr int rounds_of_a_start = 2;  // one in each order
constexpr seconds load_duration{2};
constexpr seconds quick_duration{1};
constexpr seconds warm_up_duration{1};
constexpr rlim_t least_descriptors = 6'000;

constexpr std::array modes = {MariadbMode::native, MariadbMode::pool, MariadbMode::weft};

// The tables that every server has.
trial::SysbenchPlan tables() {
  trial::SysbenchPlan plan;
  plan.test = "oltp_read_write";
  plan.tables = 8;
  plan.table_rows = 10'000;
  return plan;
}

// The CPUs of the server and of its load.
struct Cpus {
  std::vector<int> server;
  std::vector<int> client;
};

base::Result<Cpus> choose_cpus(MariadbPlacement placement) {
  const auto cpus = trial::allowed_cpus(2);
  if (!cpus) return cpus.error();
  if (cpus->size() < 2) {
    return base::Error{"needs two CPUs, one for the server and one for its load"};
  }
  if (placement == MariadbPlacement::shared) return Cpus{*cpus, *cpus};
  return Cpus{{cpus->front()}, {cpus->back()}};
}

// Connections are descriptors, in the server and in its load.
base::Status raise_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max >= least_descriptors) return base::Done{};
  return base::Error{"1,024 connections need more descriptors than the limit of " +
                     std::to_string(limit.rlim_max) + "; raise it with ulimit -Hn"};
}

bool is_chosen(const MariadbComparison& comparison, const bench::Options& options) {
  return (comparison.quick || !options.quick) &&
         name_of(comparison).find(options.only) != std::string::npos;
}

// Refuses what nothing is called.
base::Status check_choice(const bench::Options& options) {
  std::string names;
  for (const MariadbComparison& comparison : mariadb_comparisons()) {
    if (is_chosen(comparison, options)) return base::Done{};
    names += "\n  " + name_of(comparison);
  }
  return base::Error{"nothing of this is chosen by --only '" + options.only + "':" + names};
}

MariadbSample to_sample(const trial::LoadedRun& run) {
  constexpr double microseconds = 1e6;
  const double queries = run.queries_in_window();
  return {.transactions_a_second = run.output.transactions_a_second(),
          .p99_milliseconds = run.output.p99_milliseconds,
          .user_microseconds = microseconds * run.server.cpu.user_seconds / queries,
          .system_microseconds = microseconds * run.server.cpu.system_seconds / queries,
          .switches = run.server.switches / queries,
          .server_cpu = run.server.cpu.seconds() / run.window_seconds,
          .client_cpu = run.client.seconds() / run.window_seconds};
}

class Measurement {
 public:
  Measurement(trial::MariadbPrograms programs, std::string weft_program,
              std::filesystem::path directory, const bench::Options& options,
              bench::Progress& progress)
      : programs_(std::move(programs)),
        weft_program_(std::move(weft_program)),
        directory_(std::move(directory)),
        options_(options),
        progress_(progress) {}

  // Makes the data, and a copy for each mode.
  base::Status prepare();
  // Measures all comparisons of a placement. An Error is what keeps the rest from being measured.
  base::Status compare(MariadbPlacement placement, std::vector<MariadbSamples>& all);

 private:
  using Servers = std::array<std::optional<trial::MariadbServer>, mariadb_mode_count>;
  // Which run of a comparison it is.
  struct Turn {
    MariadbMode mode;
    int round;
    bool warm_up;
  };

  std::filesystem::path data_of(MariadbMode mode) const {
    return directory_ / ("data" + std::to_string(static_cast<std::size_t>(mode)));
  }
  std::vector<std::string> run_under_weft(std::size_t workers) const {
    return {weft_program_, "run", "--workers", std::to_string(workers), "--"};
  }
  base::Status start_server(MariadbMode mode, const Cpus& cpus,
                            std::optional<trial::MariadbServer>& server);
  base::Status run_rounds(int first_round, const Cpus& cpus, std::span<MariadbSamples> all);
  base::Status take_turn(const Turn& turn, const Cpus& cpus, Servers& servers,
                         MariadbSamples& samples);
  base::Result<trial::LoadedRun> load(const MariadbComparison& comparison,
                                      const trial::MariadbServer& server, const Cpus& cpus,
                                      seconds duration) const;

  trial::MariadbPrograms programs_;
  std::string weft_program_;
  std::filesystem::path directory_;
  bench::Options options_;
  bench::Progress& progress_;
};

base::Status Measurement::prepare() {
  progress_.show("making the tables");
  const auto original = directory_ / "original";
  if (auto status = trial::make_mariadb_data(programs_, original, tables()); !status) return status;
  for (const MariadbMode mode : modes) {
    if (auto status = trial::copy_mariadb_data(original, data_of(mode)); !status) return status;
  }
  return base::Done{};
}

base::Status Measurement::start_server(MariadbMode mode, const Cpus& cpus,
                                       std::optional<trial::MariadbServer>& server) {
  progress_.show(std::string("starting: ") + name_of(mode));
  trial::MariadbServer::Plan plan{.cpus = cpus.server};
  if (mode == MariadbMode::pool) plan.settings = {"--thread-handling=pool-of-threads"};
  if (mode == MariadbMode::weft) plan.launcher = run_under_weft(cpus.server.size());
  server.reset();
  auto started = trial::MariadbServer::start(programs_, data_of(mode), plan);
  if (!started) return base::Error{std::string(name_of(mode)) + ": " + started.error().message};
  server.emplace(std::move(*started));
  return base::Done{};
}

base::Result<trial::LoadedRun> Measurement::load(const MariadbComparison& comparison,
                                                 const trial::MariadbServer& server,
                                                 const Cpus& cpus, seconds duration) const {
  trial::LoadPlan plan{.sysbench = tables(), .cpus = cpus.client, .duration = duration};
  plan.sysbench.program = programs_.sysbench;
  plan.sysbench.socket = server.socket();
  plan.sysbench.test = comparison.test;
  plan.sysbench.connections = comparison.connections;
  if (comparison.client == MariadbClient::weft) plan.launcher = run_under_weft(1);
  plan.log_path = directory_ / "sysbench.log";
  return trial::load_server(plan, server.process().id());
}

base::Status Measurement::take_turn(const Turn& turn, const Cpus& cpus, Servers& servers,
                                    MariadbSamples& samples) {
  if (auto status = bench::check_interrupt(); !status) return status;
  const std::string title =
      std::string(name_of(turn.mode)) +
      (turn.warm_up ? ", warming up" : ", round " + std::to_string(turn.round + 1));
  progress_.show(name_of(samples.comparison) + ", " + title + " of " +
                 std::to_string(options_.repeats));
  const seconds duration = turn.warm_up     ? warm_up_duration
                           : options_.quick ? quick_duration
                                            : load_duration;
  auto& server = servers[static_cast<std::size_t>(turn.mode)];
  const auto run = load(samples.comparison, *server, cpus, duration);
  if (!turn.warm_up) {
    samples.of(turn.mode).push_back(run ? std::optional(to_sample(*run)) : std::nullopt);
  }
  if (run) return base::Done{};
  if (auto status = bench::check_interrupt(); !status) return status;
  const trial::BackgroundProcess& process = server->process();
  samples.failures.push_back(
      title + ": " + run.error().message +
      (process.is_running() ? ""
                            : "\nThe server has died. Its last words:\n" + process.last_words()));
  return start_server(turn.mode, cpus, server);
}

base::Status Measurement::run_rounds(int first_round, const Cpus& cpus,
                                     std::span<MariadbSamples> all) {
  Servers servers;
  for (const MariadbMode mode : modes) {
    auto& server = servers[static_cast<std::size_t>(mode)];
    if (auto status = start_server(mode, cpus, server); !status) return status;
  }
  const int end_round = std::min(first_round + rounds_of_a_start, options_.repeats);
  const int warm_up = first_round - 1;
  for (MariadbSamples& samples : all) {
    for (int round = options_.quick ? first_round : warm_up; round < end_round; ++round) {
      auto order = modes;
      if (round % 2 != 0) std::reverse(order.begin(), order.end());
      for (const MariadbMode mode : order) {
        const Turn turn{.mode = mode, .round = round, .warm_up = round == warm_up};
        if (auto status = take_turn(turn, cpus, servers, samples); !status) return status;
      }
    }
  }
  for (const MariadbMode mode : modes) {
    progress_.show(std::string("stopping: ") + name_of(mode));
    const auto status = servers[static_cast<std::size_t>(mode)]->stop();
    if (auto interrupt = bench::check_interrupt(); !interrupt) return interrupt;
    if (status) continue;
    all.back().failures.push_back(std::string(name_of(mode)) +
                                  ", at its end: " + status.error().message);
  }
  return base::Done{};
}

base::Status Measurement::compare(MariadbPlacement placement, std::vector<MariadbSamples>& all) {
  const auto cpus = choose_cpus(placement);
  if (!cpus) return cpus.error();
  const std::size_t first = all.size();
  for (const MariadbComparison& comparison : mariadb_comparisons()) {
    if (comparison.placement != placement || !is_chosen(comparison, options_)) continue;
    all.push_back({.comparison = comparison});
  }
  if (all.size() == first) return base::Done{};
  for (int round = 0; round < options_.repeats; round += rounds_of_a_start) {
    auto status = run_rounds(round, *cpus, std::span(all).subspan(first));
    if (!status) return status;
  }
  return base::Done{};
}

// To see that it works is all that --quick is for.
base::Status check_quick(const std::vector<MariadbSamples>& all) {
  for (const MariadbSamples& samples : all) {
    if (samples.failures.empty()) continue;
    return base::Error{name_of(samples.comparison) + ", " + samples.failures.front()};
  }
  return base::Done{};
}

}  // namespace

base::Result<bench::Report> bench_mariadb(const bench::Options& options,
                                          bench::Progress& progress) {
  bench::Report report;
  if (const auto status = check_choice(options); !status) return status.error();
  auto programs = trial::find_mariadb();
  if (!programs) {
    if (!options.allow_missing) return programs.error();
    report.notes.push_back(programs.error().message + " (--allow-missing)");
    return report;
  }
  const auto self = os::read_link("/proc/self/exe");
  if (!self) return self.error();
  if (const auto status = raise_descriptor_limit(); !status) return status.error();
  const auto directory = bench::TemporaryDirectory::create();
  if (!directory) return directory.error();
  Measurement measurement(std::move(*programs), *self, directory->path(), options, progress);
  if (const auto status = measurement.prepare(); !status) return status.error();
  std::vector<MariadbSamples> all;
  for (const auto placement : {MariadbPlacement::apart, MariadbPlacement::shared}) {
    if (const auto status = measurement.compare(placement, all); !status) return status.error();
  }
  if (options.quick) {
    if (const auto status = check_quick(all); !status) return status.error();
  }
  add_to_report(all, options.seed, report);
  return report;
}

}  // namespace weft::tool
