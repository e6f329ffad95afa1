// SPDX-License-Identifier: Apache-2.0
// A database server in a directory of its own, that ends with the test, however that ends.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/sql/backend.h"

namespace weft::sql::test {

// A directory that goes with this; the server's user may use it.
class ServerFolder {
 public:
  explicit ServerFolder(const std::string& user);
  ~ServerFolder();
  ServerFolder(const ServerFolder&) = delete;
  ServerFolder& operator=(const ServerFolder&) = delete;
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

// A process that leads a session of its own. All of it is killed when this goes, and when we die.
class ServerProcess {
 public:
  ServerProcess() = default;
  ~ServerProcess() { kill(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  void start(const std::vector<std::string>& words, const std::filesystem::path& log);
  bool is_running();
  // Asks it to end, and waits; kills it after some time.
  void stop(int signal);
  void kill();
  // The process and its children, which may lead sessions of their own.
  void signal_all(int signal) const;

 private:
  pid_t id_ = 0;
};

// Runs a command to its end; throws with the log where it fails.
void run_command(const std::vector<std::string>& words, const std::filesystem::path& log);
// Words that make a command run as another user, where we may and must.
std::vector<std::string> words_as(const std::string& user, std::vector<std::string> words);
// The path of a program in the PATH or in one of the places where servers are; empty: none.
std::string find_program(const std::string& name);
int free_port();
// Tries until a connection can be made; throws with the log where the process ends, or after long.
void wait_until_it_answers(const Url& url, ServerProcess& process,
                           const std::filesystem::path& log);

}  // namespace weft::sql::test
