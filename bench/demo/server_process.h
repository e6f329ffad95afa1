// SPDX-License-Identifier: Apache-2.0
// A server that runs while we measure it, on a CPU of its own, and goes with us.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace weft::demo {

class ServerProcess {
 public:
  // Starts a program, named by its path, on one CPU, what it prints in a file. It leads a process
  // group of its own, so that Ctrl-C reaches only us, and dies with the calling thread.
  static base::Result<ServerProcess> start(std::vector<std::string> arguments, int cpu,
                                           const std::string& log_path);
  ~ServerProcess() { stop(); }
  ServerProcess(ServerProcess&& other) noexcept;
  ServerProcess& operator=(ServerProcess&&) = delete;

  pid_t id() const noexcept { return id_; }

  // Waits until a connection to the socket is accepted. The Error quotes the end of what the
  // server printed, where it has ended.
  base::Status wait_for_socket(const std::string& path, std::chrono::seconds longest);

  // Asks it to end, and kills it where it does not. Nothing happens the second time.
  void stop() noexcept;

 private:
  ServerProcess(pid_t id, std::string log_path) : id_(id), log_path_(std::move(log_path)) {}
  bool has_ended() noexcept;

  pid_t id_ = 0;  // 0: has ended
  std::string log_path_;
};

}  // namespace weft::demo
