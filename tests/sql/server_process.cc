// SPDX-License-Identifier: Apache-2.0
// Processes of servers: start, end, and what is there to start.
#include "tests/sql/server_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace weft::sql::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

pid_t spawn(const std::vector<std::string>& words, const std::filesystem::path& log) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(output, 1);
  ::dup2(output, 2);
  ::close(0);
  ::open("/dev/null", O_RDONLY);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

// 0: it has gone.
pid_t parent_of(pid_t process) {
  // "id (name) state parent …", where the name may be anything.
  const std::string line = text_of("/proc/" + std::to_string(process) + "/stat");
  const auto name_end = line.rfind(')');
  return name_end == std::string::npos ? 0 : std::atoi(line.c_str() + name_end + 4);
}

}  // namespace

ServerFolder::ServerFolder(const std::string& user) {
  std::string pattern = std::filesystem::temp_directory_path() / "weft-sql-XXXXXX";
  path_ = ::mkdtemp(pattern.data());
  std::filesystem::permissions(path_, std::filesystem::perms(0755));
  if (const passwd* const entry = ::getpwnam(user.c_str()); entry != nullptr && ::geteuid() == 0) {
    if (::chown(path_.c_str(), entry->pw_uid, entry->pw_gid) != 0) {
      throw std::runtime_error("cannot give " + path_.string() + " to " + user);
    }
  }
}

ServerFolder::~ServerFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void ServerProcess::start(const std::vector<std::string>& words, const std::filesystem::path& log) {
  id_ = spawn(words, log);
}

bool ServerProcess::is_running() {
  if (id_ != 0 && ::waitpid(id_, nullptr, WNOHANG) == id_) id_ = 0;
  return id_ != 0;
}

void ServerProcess::signal_all(int signal) const {
  if (id_ == 0) return;
  ::kill(id_, signal);
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const int process = std::atoi(entry.path().filename().c_str());
    if (process > 0 && parent_of(process) == id_) ::kill(process, signal);
  }
}

void ServerProcess::stop(int signal) {
  if (id_ == 0) return;
  ::kill(id_, signal);
  const auto until = Clock::now() + 20s;
  while (is_running() && Clock::now() < until) std::this_thread::sleep_for(5ms);
  kill();
}

void ServerProcess::kill() {
  if (id_ == 0) return;
  ::kill(-id_, SIGKILL);
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
  id_ = 0;
}

void run_command(const std::vector<std::string>& words, const std::filesystem::path& log) {
  int status = 0;
  const pid_t child = spawn(words, log);
  if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) {
    throw std::runtime_error(words.front() + " failed:\n" + text_of(log));
  }
}

std::vector<std::string> words_as(const std::string& user, std::vector<std::string> words) {
  const passwd* const entry = ::getpwnam(user.c_str());
  if (::geteuid() != 0 || entry == nullptr) return words;
  // A change of the user would forget that it is to die with us.
  std::vector<std::string> all = {find_program("setpriv"),
                                  "--reuid=" + std::to_string(entry->pw_uid),
                                  "--regid=" + std::to_string(entry->pw_gid),
                                  "--clear-groups",
                                  "--pdeathsig=KILL",
                                  "--"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

std::string find_program(const std::string& name) {
  std::vector<std::filesystem::path> places = {"/usr/local/bin",  "/usr/bin",  "/bin",
                                               "/usr/local/sbin", "/usr/sbin", "/sbin"};
  std::error_code ignored;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
    places.push_back(version.path() / "bin");
  }
  for (const std::filesystem::path& place : places) {
    if (::access((place / name).c_str(), X_OK) == 0) return place / name;
  }
  return {};
}

int free_port() {
  const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (::bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    throw std::runtime_error("no port of the loopback is to be had");
  }
  ::close(listening);
  return ntohs(address.sin_port);
}

void wait_until_it_answers(const Url& url, ServerProcess& process,
                           const std::filesystem::path& log) {
  const auto until = Clock::now() + 30s;
  for (;;) {
    try {
      const Connection connection(url);
      return;
    } catch (const Error& error) {
      if (!process.is_running() || Clock::now() > until) {
        throw std::runtime_error(std::string(error.what()) + "\n" + text_of(log));
      }
      std::this_thread::sleep_for(20ms);
    }
  }
}

}  // namespace weft::sql::test
