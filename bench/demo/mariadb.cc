// SPDX-License-Identifier: Apache-2.0
// MariaDB and sysbench.
#include "mariadb.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/text.h"
#include "bench/interrupt.h"
#include "sandbox/run.h"
#include "sysbench_output.h"

namespace weft::demo {
namespace {

constexpr const char* database = "sbtest";

// In PATH, or where Debian puts servers, which is not in everybody's.
std::string find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  const std::string places = std::string(path != nullptr ? path : "") + ":/usr/sbin:/usr/bin";
  std::string_view rest = places;
  while (!rest.empty()) {
    std::string file(base::take_until(rest, ':'));
    file += "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

base::Result<sandbox::Finished> run_sysbench(const Settings& settings,
                                             const MariadbPrograms& programs,
                                             const std::string& socket_path,
                                             const std::vector<std::string>& more) {
  std::vector<std::string> words = {programs.sysbench,
                                    "oltp_point_select",
                                    "--db-driver=mysql",
                                    "--mysql-socket=" + socket_path,
                                    "--mysql-user=root",
                                    std::string("--mysql-db=") + database,
                                    "--tables=1",
                                    "--table-size=10000",
                                    "--threads=" + std::to_string(settings.connections)};
  words.insert(words.end(), more.begin(), more.end());
  sandbox::RunOptions options;
  options.timeout = std::chrono::minutes(2);
  options.stop = []() noexcept { return bench::InterruptGuard::signal() != 0; };
  auto finished = sandbox::run(words, options);
  if (!finished || finished->exit_code == 0) return finished;
  return base::Error{"sysbench failed: " + finished->output + finished->errors};
}

// How many kernel threads run, from the middle of a run: at both ends threads come and go.
class MiddleOfRun {
 public:
  MiddleOfRun(pid_t process, double seconds)
      : watcher_([this, process, seconds] {
          std::this_thread::sleep_for(std::chrono::duration<double>(seconds / 4));
          before_ = read_usage(process);
          std::this_thread::sleep_for(std::chrono::duration<double>(seconds / 2));
          after_ = read_usage(process);
        }) {}

  base::Result<UsageBetween> finish() {
    watcher_.join();
    if (!before_) return before_.error();
    if (!after_) return after_.error();
    return between(*before_, *after_);
  }

 private:
  base::Result<Usage> before_ = Usage{};
  base::Result<Usage> after_ = Usage{};
  std::jthread watcher_;  // the last: it writes to the others
};

}  // namespace

std::optional<MariadbPrograms> find_mariadb() {
  MariadbPrograms programs{find_program("mariadbd"), find_program("sysbench")};
  if (programs.server.empty() || programs.sysbench.empty()) return std::nullopt;
  return programs;
}

base::Result<Mariadb> start_mariadb(const Settings& settings, const MariadbPrograms& programs,
                                    Side side) {
  const std::string place = settings.directory + "/" + name_of(side);
  std::error_code error;
  // A database is a directory; with no tables of rights to read, an empty one is all it needs.
  std::filesystem::create_directories(place + "/data/" + database, error);
  if (error) return base::Error{"cannot make " + place + ": " + error.message(), error.value()};
  const std::string connections = std::to_string(settings.connections + 16);
  std::vector<std::string> words = {
      programs.server, "--no-defaults", "--datadir=" + place + "/data", "--socket=" + place + "/s",
      "--pid-file=" + place + "/pid", "--skip-networking", "--skip-grant-tables",
      "--max-connections=" + connections,
      // So that no thread ends before its context switches are read.
      "--thread-cache-size=" + connections, "--innodb-buffer-pool-size=64M",
      "--innodb-log-file-size=16M", "--innodb-flush-log-at-trx-commit=0"};
  if (::geteuid() == 0) words.emplace_back("--user=root");
  auto process = ServerProcess::start(start_words(settings, side, std::move(words)),
                                      settings.server_cpu, place + "/log");
  if (!process) return process.error();
  Mariadb server{std::move(*process), place + "/s"};
  if (const auto status =
          server.process.wait_for_socket(server.socket_path, std::chrono::seconds(60));
      !status) {
    return status.error();
  }
  if (const auto filled = run_sysbench(settings, programs, server.socket_path, {"prepare"});
      !filled) {
    return filled.error();
  }
  return server;
}

base::Result<Trial> measure_mariadb(const Settings& settings, const MariadbPrograms& programs,
                                    const Mariadb& server) {
  const int seconds = std::max(1, static_cast<int>(std::lround(settings.seconds)));
  const auto before = read_usage(server.process.id());
  if (!before) return before.error();
  const double client_before = cpu_seconds_of(RUSAGE_CHILDREN);
  MiddleOfRun middle(server.process.id(), seconds);
  const auto finished = run_sysbench(settings, programs, server.socket_path,
                                     {"--time=" + std::to_string(seconds), "--histogram", "run"});
  const auto during = middle.finish();
  if (!finished) return finished.error();
  if (!during) return during.error();
  const auto after = read_usage(server.process.id());
  if (!after) return after.error();
  const auto output = parse_sysbench(finished->output);
  if (!output) return base::Error{"cannot understand what sysbench printed:\n" + finished->output};
  UsageBetween used = between(*before, *after);
  used.threads = during->threads;
  used.threads_ran = during->threads_ran;
  return Trial{.requests = output->queries,
               .seconds = output->seconds,
               .p50_milliseconds = output->p50_milliseconds,
               .p99_milliseconds = output->p99_milliseconds,
               .server = used,
               .client_cpu_seconds = cpu_seconds_of(RUSAGE_CHILDREN) - client_before};
}

}  // namespace weft::demo
