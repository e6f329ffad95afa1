// SPDX-License-Identifier: Apache-2.0
// Start and end of a program in the background.
#include "trial/background_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include "bench/interrupt.h"
#include "os/file.h"
#include "sandbox/child.h"
#include "trial/client_socket.h"

namespace weft::trial {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds look_interval{10};
constexpr std::size_t last_words_bytes = 1'500;

cpu_set_t cpu_set_of(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  return set;
}

}  // namespace

base::Result<BackgroundProcess> BackgroundProcess::start(std::vector<std::string> words,
                                                         const std::vector<int>& cpus,
                                                         std::string log_path) {
  const os::Descriptor log(
      ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
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
  BackgroundProcess process(child, std::move(log_path));
  if (const auto failed = sandbox::wait_for_exec(failure)) {
    return base::Error{"cannot run " + words.front() + ": " + failed->message, failed->code};
  }
  return process;
}

BackgroundProcess::BackgroundProcess(BackgroundProcess&& other) noexcept
    : id_(std::exchange(other.id_, 0)), log_path_(std::move(other.log_path_)) {}

BackgroundProcess::~BackgroundProcess() {
  if (id_ == 0) return;
  ::kill(-id_, SIGKILL);
  ::kill(id_, SIGKILL);  // should it not have got as far as to lead a group
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

base::Result<std::string> BackgroundProcess::printed() const {
  return os::read_text(log_path_);
}

std::string BackgroundProcess::last_words() const {
  const auto text = printed();
  if (!text) return text.error().message;
  return text->size() <= last_words_bytes ? *text : text->substr(text->size() - last_words_bytes);
}

bool BackgroundProcess::is_running() const noexcept {
  siginfo_t ended{};
  return id_ != 0 &&
         ::waitid(P_PID, static_cast<id_t>(id_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0;
}

base::Status BackgroundProcess::wait_for_socket(const std::string& path,
                                                std::chrono::seconds longest) const {
  const auto deadline = Clock::now() + longest;
  while (!connect_to(path)) {
    if (auto status = bench::check_interrupt(); !status) return status;
    if (!is_running()) {
      return base::Error{"the server ended before it served. Its last words:\n" + last_words()};
    }
    if (Clock::now() > deadline) {
      return base::Error{"the server does not serve after " + std::to_string(longest.count()) +
                         " s. Its last words:\n" + last_words()};
    }
    std::this_thread::sleep_for(look_interval);
  }
  return base::Done{};
}

base::Result<int> BackgroundProcess::wait_for_end(milliseconds longest) {
  const auto deadline = Clock::now() + longest;
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(id_, &status, WNOHANG)) == 0) {
    if (const auto interrupt = bench::check_interrupt(); !interrupt) return interrupt.error();
    if (Clock::now() > deadline) {
      return base::Error{"it does not end. Its last words:\n" + last_words(), ETIMEDOUT};
    }
    std::this_thread::sleep_for(look_interval);
  }
  id_ = 0;
  if (ended < 0) return os::last_error("wait for", "a program");
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

base::Status BackgroundProcess::stop(std::chrono::seconds longest) {
  if (id_ == 0) return base::Done{};
  ::kill(id_, SIGTERM);
  if (const auto code = wait_for_end(longest); !code) return code.error();
  return base::Done{};
}

}  // namespace weft::trial
