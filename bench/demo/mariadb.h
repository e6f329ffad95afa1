// SPDX-License-Identifier: Apache-2.0
// MariaDB as it was installed, with data of its own in the demo's directory, and sysbench for it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "server_process.h"
#include "settings.h"

namespace weft::demo {

struct MariadbPrograms {
  std::string server;
  std::string sysbench;
};

// Nothing where one of them is not installed.
std::optional<MariadbPrograms> find_mariadb();

struct Mariadb {
  ServerProcess process;
  std::string socket_path;
};

// Starts a server with an empty directory and fills its table.
base::Result<Mariadb> start_mariadb(const Settings& settings, const MariadbPrograms& programs,
                                    Side side);

// sysbench's point-select on it.
base::Result<Trial> measure_mariadb(const Settings& settings, const MariadbPrograms& programs,
                                    const Mariadb& server);

}  // namespace weft::demo
