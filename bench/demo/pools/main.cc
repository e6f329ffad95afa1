// SPDX-License-Identifier: Apache-2.0
// weft-demo-pools: a pool sized from the host beside one sized from the budget, in a real nested
// cgroup.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include <weft/budget.h>

#include "base/text.h"
#include "bench/child.h"
#include "bench/interrupt.h"
#include "comparison.h"
#include "report.h"
#include "sandbox/run.h"
#include "scene.h"
#include "trial/interrupt.h"

namespace weft::demo {
namespace {

struct Options {
  double quota_cores = 1;
  double seconds = 3;  // of one run
  int rounds = 2;
  double load = 0.85;   // of the quota
  unsigned burst = 60;  // jobs, for each core
  std::uint64_t seed = 1;
  std::string weft_program;
};

constexpr std::chrono::milliseconds period{100};

std::string cores_text(double cores) {
  return base::to_text(cores) + (cores == 1 ? " core" : " cores");
}

unsigned host_threads() {
  return std::max(std::thread::hardware_concurrency(), 1U);
}
unsigned budget_threads() {
  return static_cast<unsigned>(budget::read().sizes.cpu_pool_threads.value);
}
// As found where a number was set by hand for another host.
unsigned oversized_threads() {
  return std::max(8U, 4 * host_threads());
}

// Where the program is when it was built beside this one.
std::string find_weft() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / "../../../tools/weft/weft").lexically_normal().string();
}

void show_budget_page(const std::string& weft_program) {
  const auto page = sandbox::run({weft_program, "budget"});
  if (page && page->exit_code == 0) {
    fmt::print("{}\n", page->output);
  } else {
    const budget::Budget here = budget::read();
    fmt::print("The budget here: {}, from {} ({}).\n\n", cores_text(here.cpu.cores),
               here.cpu.source, here.cpu.where);
  }
}

// Says what a process in the container is told by whom.
base::Status introduce(const Scene& scene, double quota_cores) {
  // In a process of its own: this one stays outside.
  const auto inside = bench::run_in_child([&]() -> base::Result<bench::Numbers> {
    if (const auto status = scene.container.enter(); !status) return status.error();
    const budget::Budget budget = budget::read();
    fmt::print(
        "In the cgroup {}\n"
        "  its own file             no limit\n"
        "  one level up             {} in each {} ms, for everything below\n"
        "  hardware_concurrency()   {} threads\n"
        "  weft::budget::read()     {} thread{}: {} by {}\n",
        scene.container.directory(), cores_text(quota_cores), period.count(), host_threads(),
        budget.sizes.cpu_pool_threads.value, budget.sizes.cpu_pool_threads.value == 1 ? "" : "s",
        cores_text(budget.cpu.cores), budget.cpu.where);
    std::fflush(stdout);
    return bench::Numbers{};
  });
  if (!inside) return inside.error();
  return base::Done{};
}

base::Status compare_pools(const Options& options, const std::optional<Scene>& scene) {
  const double cores = scene ? options.quota_cores : budget::read().cpu.cores;
  ComparisonOptions comparison;
  comparison.pools = {{"sized from the host", host_threads},
                      {"sized from the budget", budget_threads}};
  if (scene) comparison.pools.push_back({"set by hand, too large", oversized_threads});
  comparison.rounds = scene ? options.rounds : 1;
  comparison.load.cores = options.load * cores;
  comparison.load.length =
      std::chrono::microseconds(static_cast<std::int64_t>(options.seconds * 1e6));
  comparison.load.burst_size = static_cast<std::size_t>(options.burst * std::max(cores, 1.0));
  comparison.load.seed = options.seed;
  comparison.cgroup = scene ? &scene->container : nullptr;
  fmt::print(
      "The load, the same for every pool: jobs of 4 ms CPU time, {:.0f} % of {} on average, at "
      "random\nand in bursts of {}; and a ping each 5 ms that takes 0.05 ms, answered by a thread "
      "of its own.\n\n",
      100 * options.load, cores_text(cores), comparison.load.burst_size);
  std::fflush(stdout);

  const auto runs = compare(comparison);
  if (!runs) return runs.error();
  std::vector<std::string> names;
  for (const Pool& pool : comparison.pools) names.push_back(pool.name);
  fmt::print("\n{}\n{}", to_table(names, *runs), explain(*runs, cores, period));
  return base::Done{};
}

base::Status play(const Options& options) {
  auto made = make_scene(sandbox::Quota{.cores = options.quota_cores, .period = period});
  std::optional<Scene> scene;
  if (made) {
    scene.emplace(std::move(*made));
    if (auto status = introduce(*scene, options.quota_cores); !status) return status;
  } else {
    fmt::print(
        "No quota can be shown here, since no cgroup can be made:\n  {}\n\n"
        "What can be shown: the budget as it is here, and the same without a quota of our own.\n\n",
        made.error().message);
    show_budget_page(options.weft_program);
  }
  return compare_pools(options, scene);
}

// Answers the exit code.
int run(int count, char** arguments) {
  Options options;
  options.weft_program = find_weft();
  CLI::App app("Shows what a pool of the right size gives, in a real cgroup with a CPU quota.",
               "weft-demo-pools");
  app.add_option("--quota", options.quota_cores, "cores of the quota")
      ->check(CLI::Range(0.05, 1024.0))
      ->capture_default_str();
  app.add_option("--load", options.load, "share of the quota that the jobs need")
      ->check(CLI::Range(0.05, 2.0))
      ->capture_default_str();
  app.add_option("--burst", options.burst, "jobs that come at once, for each core of the quota")
      ->check(CLI::Range(0, 10'000))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "length of one run")
      ->check(CLI::Range(0.5, 600.0))
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "rounds of two runs for each pool")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the schedule")->capture_default_str();
  app.add_option("--weft", options.weft_program, "the weft program")->capture_default_str();
  CLI11_PARSE(app, count, arguments);

  const bench::InterruptGuard interrupt;
  const auto status = play(options);
  return trial::exit_code_for("weft-demo-pools", status);
}

}  // namespace
}  // namespace weft::demo

int main(int count, char** arguments) {
  return weft::trial::run_main("weft-demo-pools",
                               [&] { return weft::demo::run(count, arguments); });
}
