// SPDX-License-Identifier: Apache-2.0
// Starts, waits for and ends a MariaDB server.
//
// The server runs as whoever we are, root too: one that changes its user is no longer killed by the
// kernel when we die.
#include "bench_mariadb_server.h"

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/text.h"
#include "bench/interrupt.h"
#include "bench/rivals.h"
#include "bench_budget_rivals.h"
#include "bench_mariadb_load.h"
#include "os/file.h"
#include "sandbox/child.h"
#include "sandbox/run.h"

namespace weft::tool {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds start_timeout{60};
constexpr seconds stop_timeout{60};
constexpr seconds prepare_timeout{300};
constexpr milliseconds look_interval{50};
constexpr std::size_t log_end_bytes = 1'500;

std::string user_name() {
  const passwd* const entry = ::getpwuid(::geteuid());
  return entry != nullptr ? entry->pw_name : std::to_string(::geteuid());
}

std::string find_server_program(const std::string& name) {
  if (std::string found = bench::find_program(name); !found.empty()) return found;
  const std::string elsewhere = "/usr/sbin/" + name;  // not in the PATH of everybody
  return ::access(elsewhere.c_str(), X_OK) == 0 ? elsewhere : std::string();
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

cpu_set_t cpu_set_of(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  return set;
}

// Starts a program that goes on running, with its output in a file.
base::Result<pid_t> spawn(std::vector<std::string> words, const std::vector<int>& cpus,
                          const std::string& log_path) {
  const os::Descriptor log(
      ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.valid()) return os::last_error("write", log_path);
  const auto nothing = os::open_to_read("/dev/null");
  if (!nothing) return nothing.error();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return os::last_error("make", "a pipe");
  const os::Descriptor failure(ends[0]);
  os::Descriptor failure_write_end(ends[1]);

  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const cpu_set_t set = cpu_set_of(cpus);
  const sandbox::ChildPlan plan{.file = arguments.front(),
                                .arguments = arguments.data(),
                                .environment = environ,
                                .cpus = cpus.empty() ? nullptr : &set,
                                .input = nothing->get(),
                                .output = log.get(),
                                .errors = log.get(),
                                .failure = failure_write_end.get(),
                                .parent = ::getpid()};
  const pid_t child = ::fork();
  if (child < 0) return os::last_error("fork for", words.front());
  if (child == 0) sandbox::become(plan);
  failure_write_end.reset();
  if (const auto failed = sandbox::wait_for_exec(failure)) {
    ::waitpid(child, nullptr, 0);
    return base::Error{"cannot run " + words.front() + ": " + failed->message, failed->code};
  }
  return child;
}

}  // namespace

base::Result<MariadbPrograms> find_mariadb() {
  MariadbPrograms programs;
  const auto self = os::read_link("/proc/self/exe");
  if (!self) return self.error();
  programs.weft = *self;
  std::string missing;
  for (const auto& [name, path] : {std::pair{"mariadbd", &programs.server},
                                   {"mariadb-install-db", &programs.install},
                                   {"mariadb-admin", &programs.admin},
                                   {"sysbench", &programs.sysbench}}) {
    *path = find_server_program(name);
    if (path->empty()) missing += (missing.empty() ? "" : ", ") + std::string(name);
  }
  if (missing.empty()) return programs;
  return base::Error{"not installed: " + missing +
                     "; they are in Debian's packages mariadb-server and sysbench"};
}

MariadbServer::MariadbServer(pid_t process, std::filesystem::path data)
    : process_(process), data_(std::move(data)), socket_(data_.string() + ".sock") {}

MariadbServer::MariadbServer(MariadbServer&& other) noexcept
    : process_(std::exchange(other.process_, 0)),
      data_(std::move(other.data_)),
      socket_(std::move(other.socket_)) {}

MariadbServer::~MariadbServer() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

base::Result<MariadbServer> MariadbServer::start(const MariadbPrograms& programs,
                                                 const std::filesystem::path& data,
                                                 const Plan& plan) {
  const std::string socket = data.string() + ".sock";
  ::unlink(socket.c_str());
  std::error_code error;
  std::filesystem::create_directory(temporary_of(data), error);
  if (error)
    return base::Error{"cannot make " + temporary_of(data).string() + ": " + error.message()};
  auto child = spawn(server_words(programs, data, socket, plan), plan.cpus, data.string() + ".log");
  if (!child) return child.error();
  MariadbServer server(*child, data);
  if (const auto status = server.wait_until_it_answers(programs); !status) return status.error();
  return server;
}

base::Status MariadbServer::wait_until_it_answers(const MariadbPrograms& programs) const {
  const auto deadline = Clock::now() + start_timeout;
  const std::vector<std::string> ping = {programs.admin,        "--no-defaults",
                                         "--user=root",         "--socket=" + socket_,
                                         "--connect-timeout=5", "ping"};
  while (true) {
    if (const auto status = bench::check_interrupt(); !status) return status.error();
    const auto answer = sandbox::run(ping, {.timeout = seconds(20)});
    if (answer && answer->exit_code == 0) return base::Done{};
    siginfo_t ended{};
    const auto id = static_cast<id_t>(process_);
    if (::waitid(P_PID, id, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0) {
      return base::Error{"the server ended at its start:\n" + end_of_log()};
    }
    if (Clock::now() > deadline) {
      return base::Error{"the server does not answer:\n" + end_of_log()};
    }
    std::this_thread::sleep_for(look_interval);
  }
}

base::Result<double> MariadbServer::cpu_seconds() const {
  const auto text = os::read_text("/proc/" + std::to_string(process_) + "/stat");
  if (!text) return base::Error{"the server has died:\n" + end_of_log()};
  std::string_view rest = std::string_view(*text).substr(text->rfind(')') + 1);
  constexpr int fields_before_user_time = 11;
  for (int field = 0; field < fields_before_user_time; ++field) base::take_field(rest);
  const auto user = base::to_decimal(base::take_field(rest));
  const auto system = base::to_decimal(base::take_field(rest));
  if (!user || !system) return base::Error{"cannot read the times of the server: " + *text};
  return (*user + *system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

bool MariadbServer::has_ended() {
  if (::waitpid(process_, nullptr, WNOHANG) == 0) return false;
  process_ = 0;
  return true;
}

base::Status MariadbServer::stop() {
  ::kill(process_, SIGTERM);
  const auto deadline = Clock::now() + stop_timeout;
  while (!has_ended()) {
    if (const auto status = bench::check_interrupt(); !status) return status.error();
    if (Clock::now() > deadline) {
      return base::Error{"the server does not end:\n" + end_of_log()};
    }
    std::this_thread::sleep_for(look_interval);
  }
  return base::Done{};
}

std::string MariadbServer::end_of_log() const {
  const auto log = os::read_text(data_.string() + ".log");
  if (!log) return log.error().message;
  return log->size() <= log_end_bytes ? *log : log->substr(log->size() - log_end_bytes);
}

base::Status make_mariadb_data(const MariadbPrograms& programs, const std::filesystem::path& data) {
  sandbox::RunOptions options;
  options.timeout = prepare_timeout;
  std::error_code error;
  std::filesystem::create_directory(temporary_of(data), error);
  options.environment = {"TMPDIR=" + temporary_of(data).string()};
  options.stop = []() noexcept { return bench::InterruptGuard::signal() != 0; };
  const auto installed =
      output_of({programs.install, "--no-defaults", "--user=" + user_name(),
                 "--datadir=" + data.string(), "--auth-root-authentication-method=normal"},
                options);
  if (!installed) return installed.error();
  auto server = MariadbServer::start(programs, data, {});
  if (!server) return server.error();
  // There is no program of one statement but this one: mariadb-admin also makes databases.
  const auto made = output_of({programs.admin, "--no-defaults", "--user=root",
                               "--socket=" + server->socket(), "create", "sbtest"},
                              options);
  if (!made) return made.error();
  const auto prepared = output_of(
      sysbench_words(programs.sysbench, "oltp_read_write", server->socket(), 1, "prepare"),
      options);
  if (!prepared) return prepared.error();
  return server->stop();
}

}  // namespace weft::tool
