// SPDX-License-Identifier: Apache-2.0
// A MariaDB server of our own, from its data directory to its end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "trial/background_process.h"
#include "trial/sysbench.h"

namespace weft::trial {

// The programs that are needed, each with its path.
struct MariadbPrograms {
  std::string server{};
  std::string install{};
  std::string sysbench{};
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

  const std::string& socket() const noexcept { return socket_; }
  const BackgroundProcess& process() const noexcept { return process_; }
  // Ends it in order, so that its data can be used again.
  base::Status stop();

 private:
  MariadbServer(BackgroundProcess process, std::string socket);

  BackgroundProcess process_;
  std::string socket_;
};

// Makes a data directory with the tables of sysbench; its `program` and `socket` are filled in.
base::Status make_mariadb_data(const MariadbPrograms& programs, const std::filesystem::path& data,
                               SysbenchPlan tables);

// Copies a data directory whose server has ended.
base::Status copy_mariadb_data(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace weft::trial
