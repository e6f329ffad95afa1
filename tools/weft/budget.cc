// SPDX-License-Identifier: Apache-2.0
// `weft budget`: what do we own, who says so, how hard are we pressed, and what to set.
#include <iostream>
#include <memory>
#include <string>

#include <weft/budget.h>

#include "budget_output.h"
#include "budget_problems.h"
#include "command.h"
#include "exit_code.h"

namespace weft::tool {
namespace {

struct Options {
  bool json = false;
  bool env = false;
  bool watch = false;
  bool no_cgroups = false;
  int pid = 0;
  int count = 0;
  std::string root = "/";
};

constexpr const char* footer =
    "Examples:\n"
    "  weft budget                          what this process would own, explained\n"
    "  eval \"$(weft budget --env)\"          size the runtimes that a shell starts\n"
    "  weft budget --pid $(pidof mariadbd)  the same for a running process\n"
    "  weft budget --watch | jq .cpu        a line of JSON each second\n"
    "\nExit status: 0 the answer is complete; 1 something could not be read, or there is no such\n"
    "process; 2 CPU_LIMIT or an option makes no sense. The answer is printed all the same where\n"
    "there is one, and standard error says what was wrong and what to do.\n";

int act(const Options& options) {
  budget::Query query;
  query.root = options.root;
  query.process = options.pid;
  query.cgroups = !options.no_cgroups;
  if (const auto problem = check_query(query); !problem.empty()) {
    std::cerr << "weft budget: " << problem << '\n';
    return exit_problem;
  }
  if (options.watch) return watch_budget(query, options.json, options.count);
  const budget::Budget budget = budget::read(query);
  const budget::Budget shown = fit_to_print(budget);
  if (options.json) {
    std::cout << budget_json(budget, budget::read_pressure(query)) << '\n';
  } else if (options.env) {
    std::cout << budget_env(shown);
  } else {
    std::cout << budget_page(shown, fit_to_print(budget::read_pressure(query)));
  }
  std::cout.flush();
  return report_problems(shown, std::cerr);
}

Description describe() {
  const auto options = std::make_shared<Options>();
  return {
      {
          {.name = "--json",
           .help = "Print everything as one JSON object",
           .target = &options->json},
          {.name = "--env",
           .help = "Print assignments for eval: eval \"$(weft budget --env)\"",
           .target = &options->env,
           .excludes = {"--json", "--watch"}},
          {.name = "--watch",
           .help = "Follow it: a live page on a terminal, JSON lines in a pipe",
           .target = &options->watch},
          {.name = "--count",
           .help = "With --watch: stop after this many looks",
           .target = &options->count,
           .least = 1,
           .most = 1'000'000'000,
           .needs = {"--watch"}},
          {.name = "--pid",
           .help = "Answer for this process instead",
           .target = &options->pid,
           .least = 1,
           .most = 4'194'304},
          {.name = "--root",
           .help = "Answer for the host whose /proc and /sys are below this directory",
           .target = &options->root,
           .value_text = "DIR",
           .is_directory = true},
          {.name = "--no-cgroups",
           .help = "Do not read /proc and /sys: CPU_LIMIT and the affinity only",
           .target = &options->no_cgroups},
      },
      [options] { return act(*options); },
  };
}

}  // namespace

const Command budget_command{"budget", "How many CPUs do we own, and who says so", footer,
                             describe};

}  // namespace weft::tool
