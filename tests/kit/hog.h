// SPDX-License-Identifier: Apache-2.0
// Hogs: processes beside the service that take its CPU, or its memory, until they are ended.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

#include "budget/cgroup_location.h"
#include "os/file.h"
#include "sandbox/removal.h"

namespace weft::kit {

// A forked process, which does nothing that needs a lock of ours.
class Hog {
 public:
  explicit Hog(const std::function<void()>& takes) : process_(::fork()) {
    if (process_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    takes();
    ::_exit(0);
  }
  ~Hog() { end(); }
  Hog(const Hog&) = delete;
  Hog& operator=(const Hog&) = delete;

  pid_t process() const { return process_; }
  void end() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_;
};

// Keeps the calling thread on a CPU.
inline void stay_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

// A group of cgroup v1's memory controller, with a limit. v2 has one controller for each resource
// in one hierarchy only; where that is so, there is none to be had here.
class MemoryLimit {
 public:
  static base::Result<MemoryLimit> create(std::uint64_t bytes) {
    const auto memberships = os::read_text("/proc/self/cgroup");
    if (!memberships) return memberships.error();
    const auto mounts = os::read_text("/proc/self/mountinfo");
    if (!mounts) return mounts.error();
    const auto location = budget::locate_controller(budget::parse_proc_cgroup(*memberships),
                                                    budget::parse_mountinfo(*mounts), "memory");
    if (location.version != 1) return base::Error{"no memory controller of cgroup v1", 0};
    const std::string& own = location.levels.front();
    MemoryLimit limit(own + "/weft-" + std::to_string(::getpid()) + "-hog", own);
    if (::mkdir(limit.directory_.c_str(), 0755) != 0) {
      return os::last_error("make", std::exchange(limit.directory_, {}));
    }
    const auto set =
        os::write_text(limit.directory_ + "/memory.limit_in_bytes", std::to_string(bytes));
    if (!set) return set.error();
    return limit;
  }
  ~MemoryLimit() {
    if (!directory_.empty()) {
      EXPECT_TRUE(sandbox::remove_group(directory_, origin_)) << directory_;
    }
  }
  MemoryLimit(MemoryLimit&& other) noexcept
      : directory_(std::exchange(other.directory_, {})), origin_(std::move(other.origin_)) {}
  MemoryLimit& operator=(MemoryLimit&&) = delete;

  base::Status enter(pid_t process) const {
    return os::write_text(directory_ + "/cgroup.procs", std::to_string(process));
  }

 private:
  MemoryLimit(std::string directory, std::string origin)
      : directory_(std::move(directory)), origin_(std::move(origin)) {}
  std::string directory_;  // empty: moved from
  std::string origin_;
};

// A file of so many bytes that has no name any more.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) : bytes_(bytes) {
    std::string pattern = "weft-hog-XXXXXX";  // where the test runs: no memory file system
    descriptor_ = os::Descriptor(::mkstemp(pattern.data()));
    EXPECT_GE(descriptor_.get(), 0);
    ::unlink(pattern.c_str());
    const std::string block(std::size_t{1} << 20U, 'x');
    for (std::size_t written = 0; written < bytes; written += block.size()) {
      EXPECT_EQ(::write(descriptor_.get(), block.data(), block.size()),
                static_cast<ssize_t>(block.size()));
    }
    ::fsync(descriptor_.get());
    ::posix_fadvise(descriptor_.get(), 0, 0, POSIX_FADV_DONTNEED);
  }
  // Reads all of it, again and again.
  [[noreturn]] void read_for_ever() const {
    void* const memory = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, descriptor_.get(), 0);
    const volatile char* const bytes = static_cast<const char*>(memory);
    for (;;) {
      for (std::size_t at = 0; at < bytes_; at += 4096) static_cast<void>(bytes[at]);
    }
  }

 private:
  std::size_t bytes_;
  os::Descriptor descriptor_;
};

}  // namespace weft::kit
