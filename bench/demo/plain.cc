// SPDX-License-Identifier: Apache-2.0
// One run of the plain server.
#include "plain.h"

#include "bench/statistics.h"
#include "load.h"
#include "server_process.h"

namespace weft::demo {

base::Result<Trial> measure_plain(const Settings& settings, Side side) {
  const std::string socket_path = settings.directory + "/plain.sock";
  auto server =
      ServerProcess::start(start_words(settings, side, {settings.server_program, socket_path}),
                           settings.server_cpu, settings.directory + "/plain.log");
  if (!server) return server.error();
  if (const auto status = server->wait_for_socket(socket_path, std::chrono::seconds(20)); !status) {
    return status.error();
  }

  base::Result<Usage> before = Usage{};
  base::Result<Usage> after = Usage{};
  double client_cpu_seconds = 0;
  LoadOptions load;
  load.socket_path = socket_path;
  load.connections = settings.connections;
  load.length = std::chrono::milliseconds(static_cast<int>(settings.seconds * 1'000));
  load.at_begin = [&] {
    before = read_usage(server->id());
    client_cpu_seconds = -cpu_seconds_of(RUSAGE_SELF);
  };
  load.at_end = [&] {
    client_cpu_seconds += cpu_seconds_of(RUSAGE_SELF);
    after = read_usage(server->id());
  };
  const auto result = generate_load(load);
  if (!result) return result.error();
  if (!before) return before.error();
  if (!after) return after.error();
  if (result->milliseconds.empty()) return base::Error{"the plain server answered nothing"};
  return Trial{.requests = static_cast<double>(result->milliseconds.size()),
               .seconds = result->seconds,
               .p50_milliseconds = bench::quantile(result->milliseconds, 0.5),
               .p99_milliseconds = bench::quantile(result->milliseconds, 0.99),
               .server = between(*before, *after),
               .client_cpu_seconds = client_cpu_seconds};
}

}  // namespace weft::demo
