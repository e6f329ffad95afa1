// SPDX-License-Identifier: Apache-2.0
// `weft bench`: the comparisons. Exit code 0: every bar holds, 1: one does not, 2: could not run.
#include <unistd.h>

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/benchmark.h"
#include "bench/interrupt.h"
#include "bench/json.h"
#include "bench/table.h"
#include "bench_budget.h"
#include "bench_engine.h"
#include "bench_grpc.h"
#include "bench_http.h"
#include "bench_mariadb.h"
#include "bench_service.h"
#include "command.h"
#include "suggest.h"

namespace weft::tool {
namespace {

// How to add a benchmark: a line here, and a file bench_NAME.cc.
const std::vector<bench::Benchmark>& benchmarks() {
  static const std::vector<bench::Benchmark> table = {
      {"budget", "who knows how many CPUs it owns in nested cgroups, and what knowing costs",
       bench_budget},
      {"engine", "fibers beside the threads of libc, Boost.Context and Boost.Fiber", bench_engine},
      {"mariadb", "MariaDB's server under weft beside itself, natively and with its thread pool",
       bench_mariadb, true},
      {"http", "StreetLegal's policies beside each other, Apache, Node, Go and nginx", bench_http,
       true, true},
      {"grpc", "weft's gRPC server beside gRPC's own two and Go's, and streams to slow readers",
       bench_grpc, true},
      {"service", "a service within its quota, beside itself with sizes of the host; overloads",
       bench_service, true, false, true},
  };
  return table;
}

struct Arguments {
  std::string name;
  bool json = false;
  bench::Options options;
};

int fail(const std::string& message) {
  std::cerr << "weft bench: " << message << "\n";
  return bench::exit_could_not_run;
}

const bench::Benchmark* find(const std::string& name) {
  for (const bench::Benchmark& benchmark : benchmarks()) {
    if (benchmark.name == name) return &benchmark;
  }
  return nullptr;
}

int unknown(const std::string& name) {
  std::vector<std::string> names;
  for (const bench::Benchmark& benchmark : benchmarks()) names.emplace_back(benchmark.name);
  return fail("unknown benchmark '" + name + "'." + did_you_mean(name, names) +
              " 'weft bench' lists what there is.");
}

// What was measured quickly says nothing about a bar.
base::Result<bench::Report> without_bars(base::Result<bench::Report> report) {
  if (!report) return report;
  for (bench::Row& row : report->rows) {
    row.bar.reset();
    row.holds.reset();
  }
  return report;
}

int run(const Arguments& arguments) {
  if (arguments.name.empty()) {
    std::cout << (arguments.json ? bench::to_json(benchmarks()) : bench::to_list(benchmarks()));
    return 0;
  }
  const bench::Benchmark* const benchmark = find(arguments.name);
  if (benchmark == nullptr) return unknown(arguments.name);
  if (!arguments.options.only.empty() && !benchmark->heeds_only) {
    return fail(arguments.name + " is measured as a whole, without --only");
  }

  if (!arguments.options.report.empty() && !benchmark->has_page) {
    return fail(arguments.name + " has no page to write, so --report is not for it");
  }

  if (!arguments.options.program.empty() && !benchmark->takes_program) {
    return fail(arguments.name + " measures its own programs, so --program is not for it");
  }

  const bench::InterruptGuard guard;
  bench::Progress progress(STDERR_FILENO);
  bench::Options options = arguments.options;
  if (options.quick) options.repeats = 1;
  auto report = benchmark->run(options, progress);
  if (options.quick) report = without_bars(std::move(report));
  progress.clear();
  if (const int signal = bench::InterruptGuard::signal(); signal != 0) {
    fail("interrupted by signal " + std::to_string(signal) + "; nothing is left behind");
    return 128 + signal;
  }
  if (!report) return fail(arguments.name + ": " + report.error().message);
  std::cout << (arguments.json ? bench::to_json(arguments.name, *report) : bench::to_table(*report))
            << std::flush;
  if (!std::cout) return fail("cannot write the report to standard output");
  if (report->rows.empty()) return fail(arguments.name + " measured nothing");
  return bench::exit_code(*report);
}

Description describe() {
  const auto arguments = std::make_shared<Arguments>();
  return {
      {
          {.name = "NAME",
           .help = "Which one; without it, they are listed",
           .target = &arguments->name,
           .value_text = " "},
          {.name = "--json", .help = "Print the rows as JSON", .target = &arguments->json},
          {.name = "--repeats",
           .help = "Repetitions of what is timed",
           .target = &arguments->options.repeats,
           .value_text = "N [11]",
           .least = 1,
           .most = 100'000},
          {.name = "--seed",
           .help = "Of everything that is drawn by lot",
           .target = &arguments->options.seed,
           .value_text = "N [1]"},
          {.name = "--allow-missing",
           .help = "Leave out rivals that are not installed",
           .target = &arguments->options.allow_missing},
          {.name = "--quick",
           .help = "Little of everything, and no bars: to see that it works",
           .target = &arguments->options.quick,
           .excludes = {"--repeats"}},
          {.name = "--only",
           .help = "mariadb, http, grpc, service: only what has this text in its name, as in "
                   "'read-write, 256'",
           .target = &arguments->options.only,
           .value_text = "TEXT"},
          {.name = "--report",
           .help = "http: write tables, plots and commands as one HTML file",
           .target = &arguments->options.report,
           .value_text = "FILE"},
          {.name = "--program",
           .help = "service: measure this one, such as services/links",
           .target = &arguments->options.program,
           .value_text = "PATH"},
      },
      [arguments] { return run(*arguments); },
  };
}

}  // namespace

const Command bench_command{"bench", "Compare with others, as ratios in one run",
                            "Exit code 0: every bar holds. 1: one does not. 2: could not run.",
                            describe};

}  // namespace weft::tool
