// SPDX-License-Identifier: Apache-2.0
// One run of sysbench, with a window for what both sides use.
#include "trial/loaded_server.h"

#include <thread>

#include "bench/interrupt.h"
#include "trial/background_process.h"

namespace weft::trial {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

// For connecting and disconnecting, on a busy machine. sysbench itself gives up when its threads
// are not there after 30 s, which in its version 1.0 no option changes.
constexpr seconds grace{60};
constexpr milliseconds look_interval{5};
constexpr double window_share = 0.9;  // of the duration: at its end the connections leave

struct Moment {
  Clock::time_point when;
  Usage server;
  CpuTime client;
};

// Until the load has begun, or has ended.
base::Status wait_for_begin(const BackgroundProcess& load, Clock::time_point deadline) {
  while (load.is_running() && Clock::now() < deadline) {
    if (auto status = bench::check_interrupt(); !status) return status;
    const auto printed = load.printed();
    if (!printed) return printed.error();
    if (has_begun(*printed)) break;
    std::this_thread::sleep_for(look_interval);
  }
  return base::Done{};
}

base::Result<Moment> look(pid_t server, pid_t client) {
  auto server_usage = read_usage(server);
  if (!server_usage) return base::Error{"the server has died: " + server_usage.error().message};
  const auto client_time = read_cpu_time(client);
  if (!client_time) return client_time.error();
  return Moment{Clock::now(), std::move(*server_usage), *client_time};
}

}  // namespace

base::Result<LoadedRun> load_server(const LoadPlan& plan, pid_t server) {
  std::vector<std::string> words = plan.launcher;
  for (std::string& word : words_to_run(plan.sysbench, plan.duration)) {
    words.push_back(std::move(word));
  }
  const auto deadline = Clock::now() + plan.duration + grace;
  auto load = BackgroundProcess::start(std::move(words), plan.cpus, plan.log_path);
  if (!load) return load.error();
  if (const auto status = wait_for_begin(*load, deadline); !status) return status.error();
  const auto begin = look(server, load->id());
  if (!begin) return begin.error();
  std::this_thread::sleep_for(window_share * plan.duration);
  const auto end = look(server, load->id());
  if (!end) return end.error();

  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
  if (const auto code = load->wait_for_end(left); !code) return code.error();
  const auto printed = load->printed();
  if (!printed) return printed.error();
  const auto output = parse_sysbench(*printed);
  if (!output) return output.error();
  return LoadedRun{.output = *output,
                   .window_seconds = std::chrono::duration<double>(end->when - begin->when).count(),
                   .server = between(begin->server, end->server),
                   .client = between(begin->client, end->client)};
}

}  // namespace weft::trial
