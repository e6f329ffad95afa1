// SPDX-License-Identifier: Apache-2.0
// Start and end of a server.
#include "server_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include "bench/interrupt.h"
#include "client_socket.h"
#include "os/file.h"
#include "sandbox/child.h"

namespace weft::demo {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::chrono::seconds patience_at_end{10};

std::string end_of(const std::string& path) {
  const auto text = os::read_text(path);
  if (!text) return {};
  constexpr std::size_t longest = 1'000;
  return text->size() <= longest ? *text : text->substr(text->size() - longest);
}

}  // namespace

base::Result<ServerProcess> ServerProcess::start(std::vector<std::string> arguments, int cpu,
                                                 const std::string& log_path) {
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const auto input = os::open_to_read("/dev/null");
  if (!input) return input.error();
  const os::Descriptor log(
      ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.valid()) return os::last_error("write", log_path);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return os::last_error("make", "a pipe");
  const os::Descriptor failure_read(ends[0]);
  os::Descriptor failure_write(ends[1]);
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(static_cast<std::size_t>(cpu), &cpus);

  const sandbox::ChildPlan plan{.file = words.front(),
                                .arguments = words.data(),
                                .environment = environ,
                                .cpus = &cpus,
                                .input = input->get(),
                                .output = log.get(),
                                .errors = log.get(),
                                .failure = failure_write.get(),
                                .parent = ::getpid()};
  const pid_t child = ::fork();
  if (child < 0) return os::last_error("fork for", arguments.front());
  if (child == 0) sandbox::become(plan);
  failure_write.reset();
  ServerProcess process(child, log_path);
  if (const auto failed = sandbox::wait_for_exec(failure_read)) {
    return base::Error{"cannot run " + arguments.front() + ": " + failed->message, failed->code};
  }
  return process;
}

ServerProcess::ServerProcess(ServerProcess&& other) noexcept
    : id_(std::exchange(other.id_, 0)), log_path_(std::move(other.log_path_)) {}

bool ServerProcess::has_ended() noexcept {
  if (id_ != 0 && ::waitpid(id_, nullptr, WNOHANG) != 0) id_ = 0;
  return id_ == 0;
}

base::Status ServerProcess::wait_for_socket(const std::string& path, std::chrono::seconds longest) {
  const auto deadline = Clock::now() + longest;
  while (!connect_to(path)) {
    if (auto status = bench::check_interrupt(); !status) return status;
    if (has_ended()) {
      return base::Error{"the server ended before it served. Its last words:\n" +
                         end_of(log_path_)};
    }
    if (Clock::now() > deadline) {
      return base::Error{"the server does not serve after " + std::to_string(longest.count()) +
                         " s. Its last words:\n" + end_of(log_path_)};
    }
    std::this_thread::sleep_for(milliseconds(20));
  }
  return base::Done{};
}

void ServerProcess::stop() noexcept {
  if (has_ended()) return;
  ::kill(id_, SIGTERM);
  const auto deadline = Clock::now() + patience_at_end;
  while (!has_ended() && Clock::now() < deadline) std::this_thread::sleep_for(milliseconds(10));
  if (has_ended()) return;
  ::kill(-id_, SIGKILL);
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
  id_ = 0;
}

}  // namespace weft::demo
