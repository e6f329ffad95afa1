// SPDX-License-Identifier: Apache-2.0
// A MariaDB server of our own, from its data directory to its end.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace weft::tool {

inline constexpr int mariadb_tables = 8;
inline constexpr int mariadb_table_rows = 10'000;

// The programs that are needed, each with its path.
struct MariadbPrograms {
  std::string server;
  std::string install;
  std::string admin;
  std::string sysbench;
  std::string weft;  // this program
};

// Finds them in PATH or where Debian has its servers; the Error names those that are missing.
base::Result<MariadbPrograms> find_mariadb();

// A server that runs. It is killed when this goes, and by the kernel should we die first.
class MariadbServer {
 public:
  struct Plan {
    std::vector<std::string> launcher{};  // words before mariadbd
    std::vector<std::string> settings{};  // and behind its own
    std::vector<int> cpus{};
  };

  // Starts a server on `data` and waits until it answers; its socket and log lie beside `data`.
  static base::Result<MariadbServer> start(const MariadbPrograms& programs,
                                           const std::filesystem::path& data, const Plan& plan);
  ~MariadbServer();
  MariadbServer(MariadbServer&& other) noexcept;
  MariadbServer& operator=(MariadbServer&&) = delete;
  MariadbServer(const MariadbServer&) = delete;

  const std::string& socket() const noexcept { return socket_; }
  // What it has used of CPUs so far.
  base::Result<double> cpu_seconds() const;
  // Ends it in order, so that its data can be used again.
  base::Status stop();

 private:
  MariadbServer(pid_t process, std::filesystem::path data);
  base::Status wait_until_it_answers(const MariadbPrograms& programs) const;
  bool has_ended();
  std::string end_of_log() const;

  pid_t process_;  // 0: none
  std::filesystem::path data_;
  std::string socket_;
};

// Makes a data directory with the tables of sysbench.
base::Status make_mariadb_data(const MariadbPrograms& programs, const std::filesystem::path& data);

}  // namespace weft::tool
