// SPDX-License-Identifier: Apache-2.0
// Another process to ask about: it sleeps until it is killed.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include "os/file.h"

namespace weft::support {

class Sleeper {
 public:
  // The program runs, with this one variable in its environment, when the constructor returns.
  explicit Sleeper(std::string variable = "WEFT_TEST=1") {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const os::Descriptor read_end(ends[0]);
    os::Descriptor write_end(ends[1]);
    const std::array<char*, 2> environment{variable.data(), nullptr};
    process_ = ::fork();
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::execle("/bin/sleep", "sleep", "1000", nullptr, environment.data());
      ::_exit(127);
    }
    EXPECT_GT(process_, 0);
    write_end.reset();
    char byte = 0;
    EXPECT_EQ(::read(read_end.get(), &byte, 1), 0);  // exec has closed the other end
  }
  ~Sleeper() { end(); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  pid_t process() const { return process_; }

  // Kills and reaps it.
  void end() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    EXPECT_EQ(::waitpid(process_, nullptr, 0), process_);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
};

}  // namespace weft::support
