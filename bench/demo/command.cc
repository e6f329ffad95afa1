// SPDX-License-Identifier: Apache-2.0
// Somebody's own command, natively and under weft.
#include "command.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <vector>

#include "sandbox/run.h"
#include "settings.h"
#include "trial/interrupt.h"

namespace weft::demo {
namespace {

using Clock = std::chrono::steady_clock;

double switches_of_children() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_nvcsw + usage.ru_nivcsw);
}

base::Result<CommandRun> run_once(const std::vector<std::string>& words) {
  std::fflush(stdout);
  sandbox::RunOptions options = trial::interruptible(std::chrono::hours(24));
  options.collect = false;
  const double cpu_before = cpu_seconds_of(RUSAGE_CHILDREN);
  const double switches_before = switches_of_children();
  const auto start = Clock::now();
  const auto finished = sandbox::run(words, options);
  if (!finished) return finished.error();
  return CommandRun{.seconds = std::chrono::duration<double>(Clock::now() - start).count(),
                    .cpu_seconds = cpu_seconds_of(RUSAGE_CHILDREN) - cpu_before,
                    .switches = switches_of_children() - switches_before,
                    .exit_code = finished->exit_code};
}

}  // namespace

base::Status compare_command(const std::string& command, const std::string& weft_program) {
  fmt::print("--- natively: {}\n", command);
  const auto native = run_once({"sh", "-c", command});
  if (!native) return native.error();
  fmt::print("--- under weft run --stats: {}\n", command);
  // All that the shell starts, since it is the shell that is run.
  const auto weft =
      run_once({weft_program, "run", "--stats", "--children", "all", "--", "sh", "-c", command});
  if (!weft) return weft.error();
  fmt::print("\n{}", to_text(*native, *weft, command));
  return base::Done{};
}

}  // namespace weft::demo
