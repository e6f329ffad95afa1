// SPDX-License-Identifier: Apache-2.0
// Somebody's own command in a cgroup with a quota: as it is, and told its budget.
#include "command.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <vector>

#include <weft/pressure.h>

#include "bench/interrupt.h"
#include "bench/table.h"
#include "budget/cgroup_values.h"
#include "os/file.h"
#include "sandbox/run.h"

namespace weft::demo {
namespace {

using Clock = std::chrono::steady_clock;

struct Outcome {
  double seconds = 0;
  int exit_code = 0;
  double periods = 0;
  double throttled_periods = 0;
  double throttled_seconds = 0;
};

budget::Throttling throttling_of(const sandbox::Cgroup* cgroup) {
  if (cgroup == nullptr) return {};
  const auto text = os::read_text(cgroup->directory() + "/cpu.stat");
  const auto throttling = text ? budget::parse_cpu_stat(*text) : std::nullopt;
  return throttling.value_or(budget::Throttling{});
}

sandbox::RunOptions run_options(const CommandOptions& options) {
  sandbox::RunOptions run;
  run.cgroup = options.cgroup;
  run.timeout = std::chrono::hours(24);
  run.stop = []() noexcept { return bench::InterruptGuard::signal() != 0; };
  return run;
}

// What `weft budget --env` prints in the cgroup.
base::Result<std::string> read_assignments(const CommandOptions& options) {
  const auto finished =
      sandbox::run({options.weft_program, "budget", "--env"}, run_options(options));
  if (!finished) return finished.error();
  if (finished->exit_code == 0) return finished->output;
  return base::Error{options.weft_program + " budget --env failed: " + finished->errors, 0};
}

// Both come by variables, so that no character of them needs a second quoting.
base::Result<Outcome> run_once(const std::string& assignments, const CommandOptions& options) {
  std::fflush(stdout);
  sandbox::RunOptions run = run_options(options);
  run.environment = {"WEFT_DEMO_ASSIGNMENTS=" + assignments,
                     "WEFT_DEMO_COMMAND=" + options.command};
  run.collect = false;
  constexpr const char* script =
      "command=$WEFT_DEMO_COMMAND assignments=$WEFT_DEMO_ASSIGNMENTS\n"
      "unset WEFT_DEMO_COMMAND WEFT_DEMO_ASSIGNMENTS\n"
      "eval \"$assignments\"\n"
      "eval \"$command\"";
  const budget::Throttling before = throttling_of(options.quota);
  const auto start = Clock::now();
  const auto finished = sandbox::run({"sh", "-c", script}, run);
  if (!finished) return finished.error();
  const budget::Throttling after = throttling_of(options.quota);
  return Outcome{
      .seconds = std::chrono::duration<double>(Clock::now() - start).count(),
      .exit_code = finished->exit_code,
      .periods = static_cast<double>(after.periods - before.periods),
      .throttled_periods = static_cast<double>(after.throttled_periods - before.throttled_periods),
      .throttled_seconds =
          std::chrono::duration<double>(after.throttled - before.throttled).count(),
  };
}

std::vector<std::string> to_cells(const std::string& name, const Outcome& outcome) {
  return {name, fmt::format("{:.2f} s", outcome.seconds), std::to_string(outcome.exit_code),
          outcome.periods > 0
              ? fmt::format("{:.0f} of {:.0f} periods", outcome.throttled_periods, outcome.periods)
              : "-",
          outcome.periods > 0 ? fmt::format("{:.2f} s", outcome.throttled_seconds) : "-"};
}

}  // namespace

base::Status compare_command(const CommandOptions& options) {
  const auto assignments = read_assignments(options);
  if (!assignments) return assignments.error();
  fmt::print("--- {}\n", options.command);
  const auto as_it_is = run_once("", options);
  if (!as_it_is) return as_it_is.error();
  fmt::print("--- eval \"$(weft budget --env)\"; {}\n", options.command);
  const auto told = run_once(*assignments, options);
  if (!told) return told.error();

  using Align = bench::TextTable::Align;
  bench::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.add({"environment", "took", "exit code", "throttled", "for"});
  table.add(to_cells("as it is", *as_it_is));
  table.add(to_cells("told its budget", *told));
  fmt::print("\n{}", table.text());
  if (as_it_is->seconds > 0) {
    fmt::print(
        "told / as it is: {:.2f} of the time. One run of each: repeat it before you believe "
        "a small difference.\n",
        told->seconds / as_it_is->seconds);
  }
  return base::Done{};
}

}  // namespace weft::demo
