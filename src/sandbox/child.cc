// SPDX-License-Identifier: Apache-2.0
// The child between fork and exec, and its last words to the parent.
#include "sandbox/child.h"

#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace weft::sandbox {
namespace {

enum class Step { affinity, cgroup, streams, exec };

struct Failure {
  Step step = Step::exec;
  int code = 0;
};

const char* to_string(Step step) noexcept {
  switch (step) {
    case Step::affinity:
      return "cannot set the CPUs it may run on: ";
    case Step::cgroup:
      return "cannot enter the cgroup: ";
    case Step::streams:
      return "cannot redirect its output: ";
    case Step::exec:
      break;
  }
  return "";
}

[[noreturn]] void fail(const ChildPlan& plan, Step step) noexcept {
  const Failure failure{step, errno};
  // Should even this fail, then the parent sees exit code 127.
  (void)!::write(plan.failure, &failure, sizeof failure);
  ::_exit(127);
}

// Handlers are reset by exec, but what is ignored or blocked stays so, and the caller may be a
// thread that blocks everything.
void reset_signals() noexcept {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

void become(const ChildPlan& plan) noexcept {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);  // the parent died before prctl
  reset_signals();
  if (plan.cpus != nullptr && ::sched_setaffinity(0, sizeof *plan.cpus, plan.cpus) != 0) {
    fail(plan, Step::affinity);
  }
  if (plan.cgroup_processes >= 0 && ::write(plan.cgroup_processes, "0", 1) != 1) {
    fail(plan, Step::cgroup);
  }
  if (::dup2(plan.input, STDIN_FILENO) < 0 ||
      (plan.output >= 0 && ::dup2(plan.output, STDOUT_FILENO) < 0) ||
      (plan.errors >= 0 && ::dup2(plan.errors, STDERR_FILENO) < 0)) {
    fail(plan, Step::streams);
  }
  ::execve(plan.file, plan.arguments, plan.environment);
  fail(plan, Step::exec);
}

std::optional<base::Error> wait_for_exec(const os::Descriptor& failure_pipe) {
  Failure failure;
  while (true) {
    const auto count = ::read(failure_pipe.get(), &failure, sizeof failure);
    if (count == static_cast<ssize_t>(sizeof failure)) {
      return base::Error{to_string(failure.step) + std::system_category().message(failure.code),
                         failure.code};
    }
    if (count >= 0) return std::nullopt;
    if (errno == EAGAIN) {
      pollfd event{failure_pipe.get(), POLLIN, 0};
      ::poll(&event, 1, -1);
    } else if (errno != EINTR) {
      return std::nullopt;
    }
  }
}

}  // namespace weft::sandbox
