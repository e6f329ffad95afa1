// SPDX-License-Identifier: Apache-2.0
// Programs that end well, badly, by a signal, too late or never begin.
#include "sandbox/run.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/text.h"
#include "os/file.h"

namespace weft::sandbox {
namespace {

using std::chrono::milliseconds;

base::Result<Finished> shell(const std::string& script, const RunOptions& options = {}) {
  return run({"sh", "-c", script}, options);
}

// Whether a process runs; one that is dead and not reaped yet does not.
bool runs(pid_t process) {
  const auto stat = os::read_text("/proc/" + std::to_string(process) + "/stat");
  return stat.ok() && stat->find(") Z") == std::string::npos;
}

// Waits for what another process brings about; false when it does not.
template <class Condition>
bool comes_true(Condition condition) {
  for (int attempt = 0; attempt < 5'000; ++attempt) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return false;
}

// A file that a child writes its process number to.
class PidFile {
 public:
  PidFile() {
    std::string name = (std::filesystem::temp_directory_path() / "weft-run-XXXXXX").string();
    const os::Descriptor made(::mkstemp(name.data()));
    path_ = name;
  }
  ~PidFile() { ::unlink(path_.c_str()); }
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;

  const std::string& path() const { return path_; }
  pid_t wait_for_pid() const {
    pid_t process = 0;
    comes_true([&] {
      const auto text = os::read_text(path_);
      if (text.ok() && text->ends_with("\n")) {
        process = base::to_number<pid_t>(base::trim(*text)).value_or(0);
      }
      return process > 0;
    });
    return process;
  }

 private:
  std::string path_;
};

TEST(Run, CollectsOutputErrorsAndExitCode) {
  const auto finished = shell("echo to output; echo to errors >&2; exit 3");
  ASSERT_TRUE(finished.ok()) << finished.error().message;
  EXPECT_EQ(finished->output, "to output\n");
  EXPECT_EQ(finished->errors, "to errors\n");
  EXPECT_EQ(finished->exit_code, 3);
}

TEST(Run, TakesMoreThanAPipeHolds) {
  const auto finished = shell("head -c 1000000 /dev/zero; head -c 300000 /dev/zero >&2");
  ASSERT_TRUE(finished.ok()) << finished.error().message;
  EXPECT_EQ(finished->output.size(), 1'000'000U);
  EXPECT_EQ(finished->errors.size(), 300'000U);
}

TEST(Run, TellsASignalAsAShellDoes) {
  const auto finished = shell("echo before; kill -TERM $$");
  ASSERT_TRUE(finished.ok()) << finished.error().message;
  EXPECT_EQ(finished->exit_code, 128 + SIGTERM);
  EXPECT_EQ(finished->output, "before\n");
}

TEST(Run, GivesNothingToRead) {
  const auto finished = run({"cat"});
  ASSERT_TRUE(finished.ok()) << finished.error().message;
  EXPECT_EQ(finished->exit_code, 0);
  EXPECT_EQ(finished->output, "");
}

TEST(Run, TimeoutKillsTheWholeProcessGroup) {
  const PidFile file;
  const auto finished =
      shell("sleep 1000 & echo $! >" + file.path() + "; wait", {.timeout = milliseconds(300)});
  ASSERT_FALSE(finished.ok());
  EXPECT_EQ(finished.error().code, ETIMEDOUT);
  EXPECT_EQ(finished.error().message, "sh was killed after 300 ms, its timeout");
  const pid_t sleeper = file.wait_for_pid();
  ASSERT_GT(sleeper, 0);
  EXPECT_TRUE(comes_true([&] { return !runs(sleeper); }));
}

TEST(Run, StopsWhenItIsTold) {
  const auto finished = run({"sleep", "1000"}, {.stop = []() noexcept { return true; }});
  ASSERT_FALSE(finished.ok());
  EXPECT_EQ(finished.error().code, EINTR);
  EXPECT_EQ(finished.error().message, "sleep was killed because we are to stop");
}

TEST(Run, DoesNotWaitForWhatTheProgramLeavesRunning) {
  const auto finished = shell("sleep 1000 & echo $!");  // it holds the pipes open
  ASSERT_TRUE(finished.ok()) << finished.error().message;
  const auto sleeper = base::to_number<pid_t>(base::trim(finished->output));
  ASSERT_TRUE(sleeper.has_value()) << finished->output;
  EXPECT_TRUE(runs(*sleeper));
  ::kill(*sleeper, SIGKILL);
}

TEST(Run, NamesAProgramThatIsNotInPath) {
  const auto finished = run({"weft-no-such-program"});
  ASSERT_FALSE(finished.ok());
  EXPECT_EQ(finished.error().message,
            "cannot run weft-no-such-program: there is no such program in PATH");
}

TEST(Run, NamesAProgramThatCannotBeExecuted) {
  const auto missing = run({"/nowhere/program"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, "cannot run /nowhere/program: No such file or directory");
  EXPECT_EQ(missing.error().code, ENOENT);
  const auto forbidden = run({"/proc/self/status"});
  ASSERT_FALSE(forbidden.ok());
  EXPECT_EQ(forbidden.error().code, EACCES);
}

TEST(Run, SaysThatNoProgramWasNamed) {
  EXPECT_FALSE(run({}).ok());
}

TEST(Run, AddsToTheEnvironmentAndReplacesInIt) {
  ASSERT_EQ(::setenv("WEFT_RUN_TEST", "ours", 1), 0);
  const auto inherited = shell("echo $WEFT_RUN_TEST");
  const auto replaced =
      shell("env | grep ^WEFT_RUN_TEST", {.environment = {"WEFT_RUN_TEST=theirs"}});
  ::unsetenv("WEFT_RUN_TEST");
  ASSERT_TRUE(inherited.ok() && replaced.ok());
  EXPECT_EQ(inherited->output, "ours\n");
  EXPECT_EQ(replaced->output, "WEFT_RUN_TEST=theirs\n");
}

TEST(Run, SetsTheAffinity) {
  cpu_set_t ours;
  ASSERT_EQ(::sched_getaffinity(0, sizeof ours, &ours), 0);
  int cpu = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(cpu), &ours)) ++cpu;
  const auto finished = run({"grep", "Cpus_allowed_list", "/proc/self/status"}, {.cpus = {cpu}});
  ASSERT_TRUE(finished.ok()) << finished.error().message;
  EXPECT_EQ(finished->output, "Cpus_allowed_list:\t" + std::to_string(cpu) + "\n");
}

TEST(Run, SaysThatTheAffinityCannotBe) {
  const auto absent = run({"true"}, {.cpus = {CPU_SETSIZE - 1}});
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().message,
            "cannot run true: cannot set the CPUs it may run on: Invalid argument");
  EXPECT_FALSE(run({"true"}, {.cpus = {-1}}).ok());
}

TEST(Run, GivesTheProgramStandardSignals) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGPIPE, &ignore, &before), 0);
  const auto finished = shell("kill -PIPE $$");
  ::sigaction(SIGPIPE, &before, nullptr);
  ASSERT_TRUE(finished.ok()) << finished.error().message;
  EXPECT_EQ(finished->exit_code, 128 + SIGPIPE);
}

TEST(Run, TheProgramDiesWithItsCaller) {
  const PidFile file;
  const pid_t caller = ::fork();
  ASSERT_GE(caller, 0);
  if (caller == 0) {
    const auto finished = shell("echo $$ >" + file.path() + "; exec sleep 1000");
    ::_exit(finished.ok() ? 0 : 1);
  }
  const pid_t program = file.wait_for_pid();
  ASSERT_GT(program, 0);
  EXPECT_TRUE(runs(program));
  ::kill(caller, SIGKILL);
  ASSERT_EQ(::waitpid(caller, nullptr, 0), caller);
  EXPECT_TRUE(comes_true([&] { return !runs(program); }));
}

}  // namespace
}  // namespace weft::sandbox
