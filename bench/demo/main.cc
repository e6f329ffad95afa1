// SPDX-License-Identifier: Apache-2.0
// weft-demo: plain servers natively and under `weft run`, side by side; or somebody's own command.
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/interrupt.h"
#include "command.h"
#include "mariadb.h"
#include "os/file.h"
#include "plain.h"
#include "summary.h"

namespace weft::demo {
namespace {

struct Options {
  Settings settings;
  int rounds = 3;
  std::string only;
  std::string command;
};

using Measure = std::function<base::Result<Trial>(Side)>;

// A directory that goes with this object, and everything in it.
class TemporaryDirectory {
 public:
  static base::Result<TemporaryDirectory> make() {
    std::string path = (std::filesystem::temp_directory_path() / "weft-demo.XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) return os::last_error("make", path);
    return TemporaryDirectory(path);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// The CPUs that we may run on, as far as two.
std::vector<int> two_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < 2; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// The server has the first CPU; this process, and the client that it starts, the second.
void take_cpus(Settings& settings) {
  const std::vector<int> cpus = two_cpus();
  settings.server_cpu = cpus.front();
  cpu_set_t ours;
  CPU_ZERO(&ours);
  CPU_SET(static_cast<std::size_t>(cpus.back()), &ours);
  ::sched_setaffinity(0, sizeof ours, &ours);
  if (cpus.size() == 2) {
    fmt::print("The server runs on CPU {}, the client on CPU {}.\n", cpus.front(), cpus.back());
  } else {
    fmt::print("There is one CPU here: the server and the client share it.\n");
  }
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

base::Result<Comparison> compare_mariadb(const Options& options, const MariadbPrograms& programs) {
  fmt::print("\nMariaDB as installed, sysbench point-select, {} connections:\n",
             options.settings.connections);
  std::vector<Mariadb> servers;
  for (const Side side : {Side::native, Side::weft}) {
    fmt::print("  starting it, {}, and filling its table\n",
               side == Side::native ? "natively" : "under weft run");
    std::fflush(stdout);
    auto server = start_mariadb(options.settings, programs, side);
    if (!server) return server.error();
    servers.push_back(std::move(*server));
  }
  auto compared = compare("MariaDB", options, [&](Side side) {
    return measure_mariadb(options.settings, programs, servers[static_cast<std::size_t>(side)]);
  });
  if (compared) {
    fmt::print("  stopping both\n");
    std::fflush(stdout);
  }
  return compared;
}

base::Status play(Options& options) {
  const auto directory = TemporaryDirectory::make();
  if (!directory) return directory.error();
  options.settings.directory = directory->path();
  take_cpus(options.settings);

  std::vector<Comparison> comparisons;
  if (options.only != "mariadb") {
    auto compared = compare_plain(options);
    if (!compared) return compared.error();
    comparisons.push_back(std::move(*compared));
  }
  if (options.only != "plain") {
    if (const auto programs = find_mariadb()) {
      auto compared = compare_mariadb(options, *programs);
      if (!compared) return compared.error();
      comparisons.push_back(std::move(*compared));
    } else {
      fmt::print(
          "\nMariaDB is left out: it and sysbench are not both installed here\n"
          "(Debian packages mariadb-server-core and sysbench).\n");
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
  if (status) return 0;
  fmt::print(stderr, "weft-demo: {}\n", status.error().message);
  const int signal = bench::InterruptGuard::signal();
  return signal != 0 ? 128 + signal : 1;
}

}  // namespace
}  // namespace weft::demo

int main(int count, char** arguments) {
  try {
    return weft::demo::run(count, arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "weft-demo: {}\n", error.what());
    return 1;
  }
}
