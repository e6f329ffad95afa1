// SPDX-License-Identifier: Apache-2.0
// Loads the three servers in turn, and puts the report together.
//
// Each mode is a server process of its own, on a copy of the same data. All of them are up at the
// same time, loaded one after the other, A B C, C B A. They are started anew every few rounds:
// where a process got its pages by luck, it keeps that luck to its end.
#include "bench_mariadb.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/interrupt.h"
#include "bench/rivals.h"
#include "bench_mariadb_load.h"
#include "bench_mariadb_server.h"
#include "bench_mariadb_table.h"
#include "os/file.h"
#include "sandbox/run.h"

namespace weft::tool {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr int rounds_of_a_start = 2;  // one in each order
constexpr seconds load_duration{2};
constexpr seconds quick_duration{1};
constexpr seconds warm_up_duration{1};
// For connecting and disconnecting, on a busy machine.
constexpr seconds load_grace{60};
constexpr rlim_t least_descriptors = 6'000;
constexpr double whole_cpu = 0.97;

struct Mode {
  const char* name;
  bool under_weft;
  std::vector<std::string> settings;
};

constexpr std::size_t mode_count = 3;
constexpr std::size_t native = 0;
constexpr std::size_t pool = 1;
constexpr std::size_t ours = 2;

const std::array<Mode, mode_count>& modes() {
  static const std::array<Mode, mode_count> table = {{
      {"native", false, {}},
      {"thread pool", false, {"--thread-handling=pool-of-threads"}},
      {"weft", true, {}},
  }};
  return table;
}

// The CPUs of the server and of its load.
struct Cpus {
  std::vector<int> server;
  std::vector<int> client;
};

// Numbers of one mode in one comparison, by round.
struct Samples {
  std::vector<double> thousands_a_second;
  std::vector<double> p99_milliseconds;
  std::vector<double> server_cpu;  // how much of one CPU was used
  std::vector<double> client_cpu;
};

using ComparisonSamples = std::array<Samples, mode_count>;

std::vector<std::string> run_under_weft(const MariadbPrograms& programs) {
  return {programs.weft, "run", "--workers", "1", "--"};
}

base::Result<Cpus> choose_cpus(MariadbPlacement placement) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    return os::last_error("read", "the CPUs that may be used");
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < 2; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) cpus.push_back(cpu);
  }
  if (cpus.size() < 2) {
    return base::Error{"needs two CPUs, one for the server and one for its load"};
  }
  if (placement == MariadbPlacement::shared) return Cpus{cpus, cpus};
  return Cpus{{cpus[0]}, {cpus[1]}};
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

double client_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  constexpr double microsecond = 1e-6;
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         microsecond * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

class Measurement {
 public:
  Measurement(MariadbPrograms programs, std::filesystem::path directory,
              const bench::Options& options, bench::Progress& progress)
      : programs_(std::move(programs)),
        directory_(std::move(directory)),
        options_(options),
        progress_(progress) {}

  // Makes the data, and a copy for each mode.
  base::Status prepare();
  // Measures all comparisons of a placement, and adds their rows.
  base::Status compare(MariadbPlacement placement, bench::Report& report);

 private:
  using Servers = std::vector<MariadbServer>;
  std::filesystem::path data_of(std::size_t mode) const {
    return directory_ / ("data" + std::to_string(mode));
  }
  std::vector<MariadbComparison> comparisons_at(MariadbPlacement placement) const;
  base::Result<Servers> start_servers(const Cpus& cpus);
  base::Status run_rounds(const std::vector<MariadbComparison>& comparisons, const Cpus& cpus,
                          int first_round, std::vector<ComparisonSamples>& samples);
  base::Status load(const MariadbComparison& comparison, const MariadbServer& server,
                    const Cpus& cpus, seconds duration, Samples* samples);
  void add_rows(const MariadbComparison& comparison, const ComparisonSamples& samples,
                bench::Report& report) const;

  MariadbPrograms programs_;
  std::filesystem::path directory_;
  bench::Options options_;
  bench::Progress& progress_;
};

base::Status Measurement::prepare() {
  progress_.show("making the tables");
  const auto original = directory_ / "original";
  if (const auto status = make_mariadb_data(programs_, original); !status) return status.error();
  for (std::size_t mode = 0; mode < mode_count; ++mode) {
    std::error_code error;
    std::filesystem::copy(original, data_of(mode), std::filesystem::copy_options::recursive, error);
    if (error) return base::Error{"cannot copy " + original.string() + ": " + error.message()};
  }
  return base::Done{};
}

std::vector<MariadbComparison> Measurement::comparisons_at(MariadbPlacement placement) const {
  std::vector<MariadbComparison> chosen;
  for (const MariadbComparison& comparison : mariadb_comparisons()) {
    if (comparison.placement != placement || (options_.quick && !comparison.quick)) continue;
    chosen.push_back(comparison);
  }
  return chosen;
}

base::Result<Measurement::Servers> Measurement::start_servers(const Cpus& cpus) {
  Servers servers;
  servers.reserve(mode_count);
  for (std::size_t i = 0; i < mode_count; ++i) {
    const Mode& mode = modes()[i];
    progress_.show(std::string("starting: ") + mode.name);
    MariadbServer::Plan plan{.settings = mode.settings, .cpus = cpus.server};
    if (mode.under_weft) plan.launcher = run_under_weft(programs_);
    auto server = MariadbServer::start(programs_, data_of(i), plan);
    if (!server) return base::Error{std::string(mode.name) + ": " + server.error().message};
    servers.push_back(std::move(*server));
  }
  return servers;
}

base::Status Measurement::load(const MariadbComparison& comparison, const MariadbServer& server,
                               const Cpus& cpus, seconds duration, Samples* samples) {
  std::vector<std::string> words;
  if (comparison.client == MariadbClient::weft) words = run_under_weft(programs_);
  for (std::string& word : sysbench_words(programs_.sysbench, comparison.test, server.socket(),
                                          comparison.connections, "run")) {
    words.push_back(std::move(word));
  }
  words.insert(words.end() - 1, "--time=" + std::to_string(duration.count()));
  sandbox::RunOptions options;
  options.cpus = cpus.client;
  options.timeout = duration + load_grace;
  options.stop = []() noexcept { return bench::InterruptGuard::signal() != 0; };

  const auto server_before = server.cpu_seconds();
  if (!server_before) return server_before.error();
  const double client_before = client_cpu_seconds();
  const auto began = Clock::now();
  const auto finished = sandbox::run(words, options);
  if (!finished) return finished.error();
  const double elapsed = std::chrono::duration<double>(Clock::now() - began).count();
  const double client_after = client_cpu_seconds();
  const auto server_after = server.cpu_seconds();
  if (!server_after) return server_after.error();
  const auto result = parse_sysbench(finished->output + finished->errors);
  if (!result) return result.error();
  if (samples == nullptr) return base::Done{};

  constexpr double thousand = 1e3;
  samples->thousands_a_second.push_back(result->transactions_a_second / thousand);
  samples->p99_milliseconds.push_back(result->p99_milliseconds);
  samples->server_cpu.push_back((*server_after - *server_before) / elapsed);
  samples->client_cpu.push_back((client_after - client_before) / elapsed);
  return base::Done{};
}

base::Status Measurement::run_rounds(const std::vector<MariadbComparison>& comparisons,
                                     const Cpus& cpus, int first_round,
                                     std::vector<ComparisonSamples>& samples) {
  auto servers = start_servers(cpus);
  if (!servers) return servers.error();
  const int last_round = std::min(first_round + rounds_of_a_start, options_.repeats);
  const int warm_up = first_round - 1;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const MariadbComparison& comparison = comparisons[i];
    for (int round = options_.quick ? first_round : warm_up; round < last_round; ++round) {
      for (std::size_t turn = 0; turn < mode_count; ++turn) {
        const std::size_t mode = round % 2 == 0 ? turn : mode_count - 1 - turn;
        const std::string title = std::string(comparison.title) + " " +
                                  std::to_string(comparison.connections) + ", " +
                                  modes()[mode].name;
        progress_.show((round == warm_up ? "warming up: "
                                         : "round " + std::to_string(round + 1) + " of " +
                                               std::to_string(options_.repeats) + ": ") +
                       title);
        if (const auto status = bench::check_interrupt(); !status) return status.error();
        const auto status =
            round == warm_up
                ? load(comparison, (*servers)[mode], cpus, warm_up_duration, nullptr)
                : load(comparison, (*servers)[mode], cpus,
                       options_.quick ? quick_duration : load_duration, &samples[i][mode]);
        if (!status) return base::Error{title + ": " + status.error().message};
      }
    }
  }
  for (std::size_t mode = 0; mode < mode_count; ++mode) {
    progress_.show(std::string("stopping: ") + modes()[mode].name);
    const auto status = (*servers)[mode].stop();
    if (!status)
      return base::Error{std::string(modes()[mode].name) + ": " + status.error().message};
  }
  return base::Done{};
}

void Measurement::add_rows(const MariadbComparison& comparison, const ComparisonSamples& samples,
                           bench::Report& report) const {
  const auto add = [&](const std::string& name, const char* unit,
                       const std::vector<double> Samples::*numbers, std::size_t rival,
                       std::optional<bench::Bar> bar = {}) {
    report.rows.push_back(bench::make_row(name, unit, samples[ours].*numbers,
                                          samples[rival].*numbers, modes()[rival].name,
                                          options_.seed, bar));
  };
  const std::string name =
      std::string(comparison.title) + ", " + std::to_string(comparison.connections);
  constexpr const char* rate_unit = "k/s";
  add(name, rate_unit, &Samples::thousands_a_second, native,
      bench::ratio_at_least(comparison.least_to_native));
  add(name, rate_unit, &Samples::thousands_a_second, pool,
      bench::ratio_at_least(comparison.least_to_pool));
  add("  P99", "ms", &Samples::p99_milliseconds, native,
      bench::ratio_at_most(comparison.most_p99_to_native));
  add("  P99", "ms", &Samples::p99_milliseconds, pool);
  add("  CPU of the server", "", &Samples::server_cpu, native);
  add("  CPU of the server", "", &Samples::server_cpu, pool);
  add("  CPU of the load", "", &Samples::client_cpu, native);
  add("  CPU of the load", "", &Samples::client_cpu, pool);
  if (comparison.placement == MariadbPlacement::apart && report.rows.back().ours >= whole_cpu) {
    report.notes.push_back(name + ": the load had no CPU left, the server may be faster than this");
  }
}

base::Status Measurement::compare(MariadbPlacement placement, bench::Report& report) {
  const auto cpus = choose_cpus(placement);
  if (!cpus) return cpus.error();
  const auto comparisons = comparisons_at(placement);
  std::vector<ComparisonSamples> samples(comparisons.size());
  for (int round = 0; round < options_.repeats; round += rounds_of_a_start) {
    const auto status = run_rounds(comparisons, *cpus, round, samples);
    if (!status) return status.error();
  }
  for (std::size_t i = 0; i < comparisons.size(); ++i) add_rows(comparisons[i], samples[i], report);
  return base::Done{};
}

}  // namespace

base::Result<bench::Report> bench_mariadb(const bench::Options& options,
                                          bench::Progress& progress) {
  bench::Report report;
  auto programs = find_mariadb();
  if (!programs) {
    if (!options.allow_missing) return programs.error();
    report.notes.push_back(programs.error().message + " (--allow-missing)");
    return report;
  }
  if (const auto status = raise_descriptor_limit(); !status) return status.error();
  const auto directory = bench::TemporaryDirectory::create();
  if (!directory) return directory.error();
  Measurement measurement(std::move(*programs), directory->path(), options, progress);
  if (const auto status = measurement.prepare(); !status) return status.error();
  for (const auto placement : {MariadbPlacement::apart, MariadbPlacement::shared}) {
    if (const auto status = measurement.compare(placement, report); !status) return status.error();
  }
  report.notes.emplace_back("CPU: of one, from before the load connected until it had ended");
  return report;
}

}  // namespace weft::tool
