// SPDX-License-Identifier: Apache-2.0
// weft-demo: plain servers natively and under `weft run`, side by side; or somebody's own command.
#include <fmt/format.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/interrupt.h"
#include "bench/rivals.h"
#include "command.h"
#include "mariadb.h"
#include "plain.h"
#include "summary.h"
#include "trial/cpus.h"
#include "trial/interrupt.h"

namespace weft::demo {
namespace {

struct Options {
  Settings settings;
  int rounds = 3;
  std::string only;
  std::string command;
};

using Measure = std::function<base::Result<Trial>(Side)>;

// The server has the first CPU; this process, and the client that it starts, the second.
base::Status take_cpus(Settings& settings) {
  const auto allowed = trial::allowed_cpus(2);
  if (!allowed) return allowed.error();
  const std::vector<int>& cpus = *allowed;
  settings.server_cpu = cpus.front();
  settings.client_cpu = cpus.back();
  cpu_set_t ours;
  CPU_ZERO(&ours);
  CPU_SET(static_cast<std::size_t>(cpus.back()), &ours);
  ::sched_setaffinity(0, sizeof ours, &ours);
  if (cpus.size() == 2) {
    fmt::print("The server runs on CPU {}, the client on CPU {}.\n", cpus.front(), cpus.back());
  } else {
    fmt::print("There is one CPU here: the server and the client share it.\n");
  }
  return base::Done{};
}

// Rounds of both sides, the order turned round each time, with a line for each run.
base::Result<Comparison> compare(const std::string& name, const Options& options,
                                 const Measure& measure) {
  Comparison comparison{.name = name, .connections = options.settings.connections, .trials = {}};
  std::vector<Side> order = {Side::native, Side::weft};
  int done = 0;
  for (int round = 0; round < options.rounds; ++round) {
    for (const Side side : order) {
      if (const auto status = bench::check_interrupt(); !status) return status.error();
      const auto trial = measure(side);
      if (!trial) {
        return base::Error{fmt::format("{}, {}: {}", name, name_of(side), trial.error().message),
                           trial.error().code};
      }
      comparison.of(side).push_back(*trial);
      fmt::print("  [{}/{}] {:<6}  {}\n", ++done, 2 * options.rounds, name_of(side),
                 to_line(*trial));
      std::fflush(stdout);
    }
    std::swap(order.front(), order.back());
  }
  return comparison;
}

base::Result<Comparison> compare_plain(const Options& options) {
  fmt::print("\nA plain server, a thread for each of {} connections (bench/demo/server.c):\n",
             options.settings.connections);
  std::fflush(stdout);
  return compare("plain server", options,
                 [&](Side side) { return measure_plain(options.settings, side); });
}

base::Result<Comparison> compare_mariadb(const Options& options,
                                         const trial::MariadbPrograms& programs) {
  fmt::print("\nMariaDB as installed, sysbench point-select, {} connections:\n",
             options.settings.connections);
  fmt::print("  making its table\n");
  std::fflush(stdout);
  if (const auto status = prepare_mariadb(options.settings, programs); !status) {
    return status.error();
  }
  std::vector<trial::MariadbServer> servers;
  for (const Side side : {Side::native, Side::weft}) {
    fmt::print("  starting it, {}\n", side == Side::native ? "natively" : "under weft run");
    std::fflush(stdout);
    auto server = start_mariadb(options.settings, programs, side);
    if (!server) return server.error();
    servers.push_back(std::move(*server));
  }
  auto compared = compare("MariaDB", options, [&](Side side) {
    return measure_mariadb(options.settings, programs, servers[static_cast<std::size_t>(side)]);
  });
  if (!compared) return compared;
  fmt::print("  stopping both\n");
  std::fflush(stdout);
  for (trial::MariadbServer& server : servers) {
    if (const auto status = server.stop(); !status) return status.error();
  }
  return compared;
}

base::Status play(Options& options) {
  const auto directory = bench::TemporaryDirectory::create();
  if (!directory) return directory.error();
  options.settings.directory = directory->path().string();
  if (auto status = take_cpus(options.settings); !status) return status;

  std::vector<Comparison> comparisons;
  if (options.only != "mariadb") {
    auto compared = compare_plain(options);
    if (!compared) return compared.error();
    comparisons.push_back(std::move(*compared));
  }
  if (options.only != "plain") {
    if (const auto programs = trial::find_mariadb()) {
      auto compared = compare_mariadb(options, *programs);
      if (!compared) return compared.error();
      comparisons.push_back(std::move(*compared));
    } else {
      fmt::print("\nMariaDB is left out: {}.\n", programs.error().message);
    }
  }
  fmt::print("\nMedians of {} rounds of {:g} s each way.\n", options.rounds,
             options.settings.seconds);
  for (const Comparison& comparison : comparisons) {
    fmt::print("\n{}{}", to_table(comparison), explain_limit(comparison));
  }
  return base::Done{};
}

// Answers the exit code.
int run(int count, char** arguments) {
  Options options;
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  options.settings.weft_program = (here / "../../tools/weft/weft").lexically_normal().string();
  options.settings.server_program = (here / "weft-demo-server").string();

  CLI::App app("Runs plain servers natively and under weft, side by side.", "weft-demo");
  app.add_option("--only", options.only, "only this one")
      ->check(CLI::IsMember({"plain", "mariadb"}));
  app.add_option("--connections", options.settings.connections, "of the client")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--seconds", options.settings.seconds, "length of one run")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "of one run each way")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--command", options.command,
                 "run this command instead, natively and under weft run --stats");
  app.add_option("--weft", options.settings.weft_program, "the weft program")
      ->capture_default_str();
  CLI11_PARSE(app, count, arguments);

  const bench::InterruptGuard interrupt;
  const auto status = options.command.empty()
                          ? play(options)
                          : compare_command(options.command, options.settings.weft_program);
  return trial::exit_code_for("weft-demo", status);
}

}  // namespace
}  // namespace weft::demo

int main(int count, char** arguments) {
  return weft::trial::run_main("weft-demo", [&] { return weft::demo::run(count, arguments); });
}
