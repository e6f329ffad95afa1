// SPDX-License-Identifier: Apache-2.0
// MariaDB and sysbench.
#include "mariadb.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>

#include "trial/loaded_server.h"

namespace weft::demo {
namespace {

std::filesystem::path data_of(const Settings& settings, Side side) {
  return std::filesystem::path(settings.directory) / name_of(side);
}

}  // namespace

base::Status prepare_mariadb(const Settings& settings, const trial::MariadbPrograms& programs) {
  const auto original = data_of(settings, Side::native);
  if (auto status = trial::make_mariadb_data(programs, original, {}); !status) return status;
  return trial::copy_mariadb_data(original, data_of(settings, Side::weft));
}

base::Result<trial::MariadbServer> start_mariadb(const Settings& settings,
                                                 const trial::MariadbPrograms& programs,
                                                 Side side) {
  const std::string connections = std::to_string(settings.connections + 16);
  return trial::MariadbServer::start(programs, data_of(settings, side),
                                     {.launcher = launcher_of(settings, side),
                                      .settings = {"--max-connections=" + connections},
                                      .cpus = {settings.server_cpu}});
}

base::Result<Trial> measure_mariadb(const Settings& settings,
                                    const trial::MariadbPrograms& programs,
                                    const trial::MariadbServer& server) {
  trial::LoadPlan plan;
  plan.sysbench.program = programs.sysbench;
  plan.sysbench.socket = server.socket();
  plan.sysbench.connections = settings.connections;
  plan.cpus = {settings.client_cpu};
  plan.duration = std::chrono::seconds(std::max(1L, std::lround(settings.seconds)));
  plan.log_path = settings.directory + "/sysbench.log";
  const auto run = trial::load_server(plan, server.process().id());
  if (!run) return run.error();
  // What was used is that of the window; the requests are those that fall into it.
  return Trial{.requests = run->queries_in_window(),
               .seconds = run->window_seconds,
               .p50_milliseconds = run->output.p50_milliseconds,
               .p99_milliseconds = run->output.p99_milliseconds,
               .server = run->server,
               .client_cpu_seconds = run->client.seconds()};
}

}  // namespace weft::demo
