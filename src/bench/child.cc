// SPDX-License-Identifier: Apache-2.0
// Forking, tracing, and the way back for the numbers: a file in memory that both processes hold. A
// pipe would block a traced child that has much to say while its tracer waits for it.
#include "bench/child.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "os/file.h"

namespace weft::bench {
namespace {

// A marker is getppid(), which has no arguments, called with one.
constexpr long begin_mark = 0x77656674;
constexpr long end_mark = 0x77656675;

base::Error failed(const std::string& what) {
  return base::Error{what + ": " + std::strerror(errno), errno};
}

// The message: one byte that says what follows, then the text of an Error, or the lists, each as
// its length and its numbers.
constexpr char numbers_follow = 'n';
constexpr char error_follows = 'e';

template <class Value>
void append(std::string& message, const Value& value) {
  message.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class Value>
bool take(std::string_view& message, Value& value) {
  if (message.size() < sizeof value) return false;
  std::memcpy(&value, message.data(), sizeof value);
  message.remove_prefix(sizeof value);
  return true;
}

std::string encode(const base::Result<Numbers>& result) {
  if (!result) return error_follows + result.error().message;
  std::string message(1, numbers_follow);
  for (const auto& list : *result) {
    append(message, list.size());
    for (const double number : list) append(message, number);
  }
  return message;
}

base::Result<Numbers> decode(std::string_view message) {
  char kind = 0;
  if (!take(message, kind)) return base::Error{"the measuring child said nothing"};
  if (kind == error_follows) return base::Error{std::string(message)};
  Numbers numbers;
  std::size_t count = 0;
  while (take(message, count)) {
    std::vector<double>& list = numbers.emplace_back();
    double number = 0;
    for (; count > 0 && take(message, number); --count) list.push_back(number);
    if (count > 0) return base::Error{"the measuring child did not finish its answer"};
  }
  return numbers;
}

base::Result<Numbers> run_body(const Body& body) {
  try {
    return body();
  } catch (const std::exception& exception) {
    return base::Error{std::string("unexpected exception: ") + exception.what()};
  }
}

[[noreturn]] void be_the_child(const Body& body, int answer, bool traced, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before we asked
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  if (traced) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
    raise(SIGSTOP);  // until the parent has set its options
  }
  std::string message = encode(run_body(body));
  for (std::size_t done = 0; done < message.size();) {
    const ssize_t written = ::write(answer, message.data() + done, message.size() - done);
    if (written <= 0) _exit(1);
    done += static_cast<std::size_t>(written);
  }
  _exit(0);  // nothing of the parent's is to be flushed or destroyed here
}

// Waits for the child to change its state; false where that is impossible.
bool wait_for(pid_t child, int& status) {
  pid_t changed = 0;
  do {
    changed = waitpid(child, &status, 0);
  } while (changed < 0 && errno == EINTR);
  return changed == child;
}

// Counts system calls by section while the tracee runs.
class SectionCounter {
 public:
  void enter(std::uint64_t call, std::uint64_t first_argument) {
    if (call == SYS_getppid && first_argument == begin_mark) {
      inside_ = true;
      counts_.push_back(0);
    } else if (call == SYS_getppid && first_argument == end_mark) {
      inside_ = false;
    } else if (inside_) {
      ++counts_.back();
    }
  }
  std::vector<std::uint64_t>& counts() { return counts_; }

 private:
  bool inside_ = false;
  std::vector<std::uint64_t> counts_;
};

// Runs the stopped tracee to its end; `status` is how it ended.
base::Status trace(pid_t child, int& status, SectionCounter& counter) {
  const std::string advice = "; is ptrace forbidden here (seccomp, yama)?";
  if (!WIFSTOPPED(status)) return base::Error{"the child to be traced did not stop" + advice};
  if (ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) != 0) {
    return failed("cannot trace a child" + advice);
  }
  int signal = 0;
  for (;;) {
    if (ptrace(PTRACE_SYSCALL, child, nullptr, signal) != 0 || !wait_for(child, status)) {
      return failed("lost the traced child");
    }
    if (!WIFSTOPPED(status)) return base::Done{};
    signal = 0;
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
      signal = WSTOPSIG(status);  // its own: hand it on
      continue;
    }
    __ptrace_syscall_info call = {};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof call, &call) < 0) {
      return failed("cannot ask which system call was made (needs Linux 5.3)");
    }
    if (call.op == PTRACE_SYSCALL_INFO_ENTRY) counter.enter(call.entry.nr, call.entry.args[0]);
  }
}

base::Result<Numbers> run_child(const Body& body, SectionCounter* counter) {
  const os::Descriptor answer(memfd_create("weft-bench", MFD_CLOEXEC));
  if (!answer.valid()) return failed("cannot make a file in memory for a child's answer");
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return failed("cannot fork a child to measure in");
  if (child == 0) be_the_child(body, answer.get(), counter != nullptr, parent);

  int status = 0;
  if (counter != nullptr) {
    // The first stop is the one that the child makes for us.
    if (!wait_for(child, status)) return failed("lost the traced child");
    if (const auto traced = trace(child, status, *counter); !traced) {
      if (WIFSTOPPED(status)) {  // otherwise it is gone, and its number may be another's
        kill(child, SIGKILL);
        wait_for(child, status);
      }
      return traced.error();
    }
  } else if (!wait_for(child, status)) {
    return failed("lost the measuring child");
  }
  if (WIFSIGNALED(status)) {
    return base::Error{"the measuring child was ended by signal " +
                       std::to_string(WTERMSIG(status))};
  }
  if (WEXITSTATUS(status) != 0) return base::Error{"the measuring child could not answer"};
  const auto message = os::read_text("/proc/self/fd/" + std::to_string(answer.get()));
  if (!message) return message.error();
  return decode(*message);
}

}  // namespace

base::Result<Numbers> run_in_child(const Body& body) {
  return run_child(body, nullptr);
}

base::Result<TracedNumbers> count_system_calls(const Body& body) {
  SectionCounter counter;
  auto numbers = run_child(body, &counter);
  if (!numbers) return numbers.error();
  return TracedNumbers{std::move(*numbers), std::move(counter.counts())};
}

void begin_section() noexcept {
  syscall(SYS_getppid, begin_mark);
}

void end_section() noexcept {
  syscall(SYS_getppid, end_mark);
}

}  // namespace weft::bench
