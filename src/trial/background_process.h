// SPDX-License-Identifier: Apache-2.0
// A program that runs while we do something else, and goes with us.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace weft::trial {

class BackgroundProcess {
 public:
  // Starts a program, named by its path, on these CPUs (none: as ours); what it prints begins the
  // file anew. It leads a process group of its own, so that Ctrl-C reaches only us, and dies with
  // the calling thread.
  static base::Result<BackgroundProcess> start(std::vector<std::string> words,
                                               const std::vector<int>& cpus, std::string log_path);
  // Kills it, where it still runs.
  ~BackgroundProcess();
  BackgroundProcess(BackgroundProcess&& other) noexcept;
  BackgroundProcess& operator=(BackgroundProcess&&) = delete;

  // Of a process that has been waited for: 0.
  pid_t id() const noexcept { return id_; }
  // All that it has printed.
  base::Result<std::string> printed() const;
  // The end of that, for an Error.
  std::string last_words() const;
  // Whether it still runs; one that does not can still be waited for, and its usage be read.
  bool is_running() const noexcept;

  // The waits end early with an Error when a signal came to us. Each Error that is about the
  // program quotes its last words.

  // Until a connection to its socket is accepted.
  base::Status wait_for_socket(const std::string& path, std::chrono::seconds longest) const;
  // Until it has ended; the exit code as a shell tells it.
  base::Result<int> wait_for_end(std::chrono::milliseconds longest);
  // Asks it to end, and waits until it has.
  base::Status stop(std::chrono::seconds longest);

 private:
  BackgroundProcess(pid_t id, std::string log_path) : id_(id), log_path_(std::move(log_path)) {}

  pid_t id_;  // 0: has ended, or was moved from
  std::string log_path_;
};

}  // namespace weft::trial
