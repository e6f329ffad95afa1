// SPDX-License-Identifier: Apache-2.0
// One run of the plain server.
#include "plain.h"

#include "bench/statistics.h"
#include "load.h"
#include "trial/background_process.h"

namespace weft::demo {
namespace {

constexpr std::chrono::seconds patience_at_end{60};

}  // namespace

base::Result<Trial> measure_plain(const Settings& settings, Side side) {
  const std::string socket_path = settings.directory + "/plain.sock";
  auto server = trial::BackgroundProcess::start(
      start_words(settings, side, {settings.server_program, socket_path}), {settings.server_cpu},
      settings.directory + "/plain.log");
  if (!server) return server.error();
  if (const auto status = server->wait_for_socket(socket_path, std::chrono::seconds(20)); !status) {
    return status.error();
  }

  base::Result<trial::Usage> before = trial::Usage{};
  base::Result<trial::Usage> after = trial::Usage{};
  double client_cpu_seconds = 0;
  LoadOptions load;
  load.socket_path = socket_path;
  load.connections = settings.connections;
  load.length = std::chrono::milliseconds(static_cast<int>(settings.seconds * 1'000));
  load.at_begin = [&] {
    before = trial::read_usage(server->id());
    client_cpu_seconds = -cpu_seconds_of(RUSAGE_SELF);
  };
  load.at_end = [&] {
    client_cpu_seconds += cpu_seconds_of(RUSAGE_SELF);
    after = trial::read_usage(server->id());
  };
  const auto result = generate_load(load);
  if (!result) return result.error();
  if (!before) return before.error();
  if (!after) return after.error();
  if (result->milliseconds.empty()) return base::Error{"the plain server answered nothing"};
  if (const auto status = server->stop(patience_at_end); !status) return status.error();
  return Trial{.requests = static_cast<double>(result->milliseconds.size()),
               .seconds = result->seconds,
               .p50_milliseconds = bench::quantile(result->milliseconds, 0.5),
               .p99_milliseconds = bench::quantile(result->milliseconds, 0.99),
               .server = trial::between(*before, *after),
               .client_cpu_seconds = client_cpu_seconds};
}

}  // namespace weft::demo
