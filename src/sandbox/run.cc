// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end: everything is prepared before the fork, so that the child does nothing
// between fork and exec but make system calls.
#include "sandbox/run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

#include "os/file.h"
#include "sandbox/child.h"

namespace weft::sandbox {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Where no pidfd is to be had, the child's end is looked for this often.
constexpr milliseconds exit_check_interval{20};
// A signal that comes just before the wait does not end it, so no wait is long.
constexpr milliseconds longest_wait{1'000};

struct Pipe {
  os::Descriptor read_end;
  os::Descriptor write_end;
};

// The same file above 0, 1 and 2 (which a caller may have closed), so that it does not get in the
// way of the dup2() onto these.
base::Result<os::Descriptor> above_streams(const os::Descriptor& low) {
  os::Descriptor high(::fcntl(low.get(), F_DUPFD_CLOEXEC, 3));
  if (!high.valid()) return os::last_error("copy", "descriptor " + std::to_string(low.get()));
  return high;
}

base::Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return os::last_error("make", "a pipe");
  auto read_end = above_streams(os::Descriptor(ends[0]));
  auto write_end = above_streams(os::Descriptor(ends[1]));
  if (!read_end) return read_end.error();
  if (!write_end) return write_end.error();
  Pipe pipe{std::move(*read_end), std::move(*write_end)};
  ::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

// What connects the child with us.
struct Streams {
  os::Descriptor input;
  Pipe output;
  Pipe errors;
  Pipe failure;
};

base::Result<Streams> open_streams() {
  const auto nothing = os::open_to_read("/dev/null");
  if (!nothing) return nothing.error();
  auto input = above_streams(*nothing);
  if (!input) return input.error();
  auto output = make_pipe();
  if (!output) return output.error();
  auto errors = make_pipe();
  if (!errors) return errors.error();
  auto failure = make_pipe();
  if (!failure) return failure.error();
  return Streams{std::move(*input), std::move(*output), std::move(*errors), std::move(*failure)};
}

// Takes what is there now into `text`. false: the other end is closed.
bool drain(const os::Descriptor& pipe, std::string& text) {
  std::array<char, 4096> buffer{};
  while (true) {
    const auto count = ::read(pipe.get(), buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN;
    }
  }
}

// Our environment with the additions, each in place of what has the same name.
std::vector<std::string> merge_environment(const std::vector<std::string>& additions) {
  std::vector<std::string> merged;
  const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const bool replaced = std::any_of(
        additions.begin(), additions.end(),
        [&](const std::string& addition) { return name_of(addition) == name_of(*entry); });
    if (!replaced) merged.emplace_back(*entry);
  }
  merged.insert(merged.end(), additions.begin(), additions.end());
  return merged;
}

// The file that a name stands for; empty where PATH has none.
std::string find_program(const std::string& name, const std::vector<std::string>& environment) {
  if (name.find('/') != std::string::npos) return name;
  std::string_view path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& entry : environment) {
    if (entry.starts_with("PATH=")) path = std::string_view(entry).substr(5);
  }
  while (!path.empty()) {
    const auto end = path.find(':');
    const std::string directory(path.substr(0, end));
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    std::string file = (directory.empty() ? "." : directory) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The child's exit status as a shell tells it; none while it runs.
std::optional<int> exit_code_of(pid_t child, int wait_flags) {
  int status = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(child, &status, wait_flags);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return std::nullopt;
  if (ended < 0) return 255;  // reaped elsewhere, as where SIGCHLD is ignored: it has ended
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Collects the child's output until it exits. None: the time is over or we are to stop, and it
// still runs.
std::optional<int> wait_for(pid_t child, const RunOptions& options, const os::Descriptor& output,
                            const os::Descriptor& errors, Finished& finished) {
  const auto deadline = Clock::now() + options.timeout;
  const os::Descriptor exit_event(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  std::array<pollfd, 3> events{
      {{output.get(), POLLIN, 0}, {errors.get(), POLLIN, 0}, {exit_event.get(), POLLIN, 0}}};
  while (true) {
    // Asked before the pipes are emptied: what it printed before its end is then in them.
    const auto code = exit_code_of(child, WNOHANG);
    if (events[0].fd >= 0 && !drain(output, finished.output)) events[0].fd = -1;
    if (events[1].fd >= 0 && !drain(errors, finished.errors)) events[1].fd = -1;
    if (code) return code;

    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (left <= milliseconds::zero()) return std::nullopt;
    if (options.stop != nullptr && options.stop()) return std::nullopt;
    const auto wait = std::min(left, exit_event.valid() ? longest_wait : exit_check_interval);
    ::poll(events.data(), events.size(), static_cast<int>(wait.count()));
  }
}

base::Result<cpu_set_t> to_cpu_set(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) {
      return base::Error{"CPU " + std::to_string(cpu) + " is out of range", EINVAL};
    }
    CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  return set;
}

base::Error cannot_run(const std::string& program, const std::string& reason, int code) {
  return {"cannot run " + program + ": " + reason, code};
}

}  // namespace

base::Result<Finished> run(const std::vector<std::string>& arguments, const RunOptions& options) {
  if (arguments.empty()) return base::Error{"cannot run: no program was named", EINVAL};
  const std::string& program = arguments.front();

  std::vector<std::string> argument_texts = arguments;
  std::vector<std::string> environment_texts = merge_environment(options.environment);
  const std::string file = find_program(program, environment_texts);
  if (file.empty()) return cannot_run(program, "there is no such program in PATH", ENOENT);
  const std::vector<char*> argument_pointers = pointers_to(argument_texts);
  const std::vector<char*> environment_pointers = pointers_to(environment_texts);

  auto streams = open_streams();
  if (!streams) return cannot_run(program, streams.error().message, streams.error().code);
  const auto cpus = to_cpu_set(options.cpus);
  if (!cpus) return cannot_run(program, cpus.error().message, cpus.error().code);
  os::Descriptor processes;
  if (options.cgroup != nullptr) {
    auto opened = os::open_to_update(options.cgroup->directory() + "/cgroup.procs");
    if (!opened) return cannot_run(program, opened.error().message, opened.error().code);
    processes = std::move(*opened);
  }

  const ChildPlan plan{.file = file.c_str(),
                       .arguments = argument_pointers.data(),
                       .environment = environment_pointers.data(),
                       .cgroup_processes = processes.get(),
                       .cpus = options.cpus.empty() ? nullptr : &*cpus,
                       .input = streams->input.get(),
                       .output = options.collect ? streams->output.write_end.get() : -1,
                       .errors = options.collect ? streams->errors.write_end.get() : -1,
                       .failure = streams->failure.write_end.get(),
                       .parent = ::getpid()};
  const pid_t child = ::fork();
  if (child < 0) return os::last_error("fork for", program);
  if (child == 0) become(plan);
  ::setpgid(child, child);  // also here, so that it holds before the child gets to it

  streams->output.write_end.reset();
  streams->errors.write_end.reset();
  streams->failure.write_end.reset();
  if (const auto failed = wait_for_exec(streams->failure.read_end)) {
    exit_code_of(child, 0);
    return cannot_run(program, failed->message, failed->code);
  }

  Finished finished;
  const auto code =
      wait_for(child, options, streams->output.read_end, streams->errors.read_end, finished);
  if (!code) {
    ::kill(-child, SIGKILL);
    exit_code_of(child, 0);
    if (options.stop != nullptr && options.stop()) {
      return base::Error{program + " was killed because we are to stop", EINTR};
    }
    return base::Error{program + " was killed after " + std::to_string(options.timeout.count()) +
                           " ms, its timeout",
                       ETIMEDOUT};
  }
  finished.exit_code = *code;
  return finished;
}

}  // namespace weft::sandbox
