// SPDX-License-Identifier: Apache-2.0
// Starts and ends a MariaDB server.
//
// The server runs as whoever we are, root too: one that changes its user is no longer killed by the
// kernel when we die.
#include "trial/mariadb.h"

#include <pwd.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "bench/rivals.h"
#include "sandbox/run.h"
#include "trial/interrupt.h"

namespace weft::trial {
namespace {

using std::chrono::seconds;

constexpr seconds start_timeout{60};
constexpr seconds stop_timeout{60};
constexpr seconds prepare_timeout{300};

std::string user_name() {
  const passwd* const entry = ::getpwuid(::geteuid());
  return entry != nullptr ? entry->pw_name : std::to_string(::geteuid());
}

std::string find_server_program(const std::string& name) {
  if (std::string found = bench::find_program(name); !found.empty()) return found;
  const std::string elsewhere = "/usr/sbin/" + name;  // not in the PATH of everybody
  return ::access(elsewhere.c_str(), X_OK) == 0 ? elsewhere : std::string();
}

base::Status make_directory(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return base::Done{};
  return base::Error{"cannot make " + path.string() + ": " + error.message(), error.value()};
}

// A server that starts takes away what others have left in its temporary directory.
std::filesystem::path temporary_of(const std::filesystem::path& data) {
  return data.string() + ".tmp";
}

std::vector<std::string> server_words(const MariadbPrograms& programs,
                                      const std::filesystem::path& data, const std::string& socket,
                                      const MariadbServer::Plan& plan) {
  std::vector<std::string> words = plan.launcher;
  words.push_back(programs.server);
  for (const char* const setting :
       {"--no-defaults", "--skip-networking", "--innodb-buffer-pool-size=256M",
        "--max-connections=2000", "--back-log=1500", "--table-open-cache=4000", "--skip-log-bin",
        "--max-prepared-stmt-count=1048576", "--innodb-flush-log-at-trx-commit=2"}) {
    words.emplace_back(setting);
  }
  words.push_back("--user=" + user_name());
  words.push_back("--datadir=" + data.string());
  words.push_back("--socket=" + socket);
  words.push_back("--pid-file=" + data.string() + ".pid");
  words.push_back("--tmpdir=" + temporary_of(data).string());
  words.insert(words.end(), plan.settings.begin(), plan.settings.end());
  return words;
}

// Runs a command that must succeed; the Error has all that it printed.
base::Status run_well(const std::vector<std::string>& words, const sandbox::RunOptions& options) {
  const auto finished = sandbox::run(words, options);
  if (!finished) return finished.error();
  if (finished->exit_code == 0) return base::Done{};
  return base::Error{words.front() + " failed:\n" + finished->output + finished->errors};
}

}  // namespace

base::Result<MariadbPrograms> find_mariadb() {
  MariadbPrograms programs;
  std::string missing;
  for (const auto& [name, path] : {std::pair{"mariadbd", &programs.server},
                                   {"mariadb-install-db", &programs.install},
                                   {"sysbench", &programs.sysbench}}) {
    *path = find_server_program(name);
    if (path->empty()) missing += (missing.empty() ? "" : ", ") + std::string(name);
  }
  if (missing.empty()) return programs;
  return base::Error{"not installed: " + missing +
                     "; they are in Debian's packages mariadb-server-core and sysbench"};
}

MariadbServer::MariadbServer(BackgroundProcess process, std::string socket)
    : process_(std::move(process)), socket_(std::move(socket)) {}

base::Result<MariadbServer> MariadbServer::start(const MariadbPrograms& programs,
                                                 const std::filesystem::path& data,
                                                 const Plan& plan) {
  std::string socket = data.string() + ".sock";
  ::unlink(socket.c_str());
  if (const auto status = make_directory(temporary_of(data)); !status) return status.error();
  auto process = BackgroundProcess::start(server_words(programs, data, socket, plan), plan.cpus,
                                          data.string() + ".log");
  if (!process) return process.error();
  if (const auto status = process->wait_for_socket(socket, start_timeout); !status) {
    return status.error();
  }
  return MariadbServer(std::move(*process), std::move(socket));
}

base::Status MariadbServer::stop() {
  return process_.stop(stop_timeout);
}

base::Status make_mariadb_data(const MariadbPrograms& programs, const std::filesystem::path& data,
                               SysbenchPlan tables) {
  if (auto status = make_directory(temporary_of(data)); !status) return status;
  sandbox::RunOptions options = interruptible(prepare_timeout);
  options.environment = {"TMPDIR=" + temporary_of(data).string()};
  if (auto status =
          run_well({programs.install, "--no-defaults", "--user=" + user_name(),
                    "--datadir=" + data.string(), "--auth-root-authentication-method=normal"},
                   options);
      !status) {
    return status;
  }
  // To the server, a database is a directory.
  if (auto status = make_directory(data / sysbench_database); !status) return status;
  auto server = MariadbServer::start(programs, data, {});
  if (!server) return server.error();
  tables.program = programs.sysbench;
  tables.socket = server->socket();
  if (auto status = run_well(words_to_prepare(tables), options); !status) return status;
  return server->stop();
}

base::Status copy_mariadb_data(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, error);
  if (!error) return base::Done{};
  return base::Error{"cannot copy " + from.string() + ": " + error.message(), error.value()};
}

}  // namespace weft::trial
