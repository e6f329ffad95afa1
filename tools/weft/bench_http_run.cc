// SPDX-License-Identifier: Apache-2.0
// Generators as processes of their own, and what they leave in files.
#include "bench_http_run.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <numeric>
#include <thread>

#include "base/text.h"
#include "bench/interrupt.h"
#include "bench_http_server.h"
#include "os/file.h"
#include "trial/usage.h"

namespace weft::tool {
namespace {

using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

constexpr std::chrono::seconds longest_load{180};
constexpr std::chrono::milliseconds look_interval{20};
constexpr int exit_void = 3;  // of `weft load`

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

base::Status write_file(const std::string& path, const std::string& text) {
  std::ofstream stream(path);
  stream << text;
  stream.close();
  if (!stream) return os::last_error("write", path);
  return base::Done{};
}

// Each client asks at the same times: every 100 ms.
std::string timing_script(const HttpLoad& load) {
  constexpr int period = 100;
  std::string text;
  const int last = static_cast<int>(load.seconds * 1000);
  for (int at = 0; at < last; at += period) {
    text += std::to_string(at) + "\t" + load.targets.front() + "\n";
  }
  return text;
}

// The pool's threads, or where there is none those of the process.
double workers_of(const RunningHttpServer& server) {
  return server.metric("weft_pool_threads").value_or(server.threads());
}

}  // namespace

Words HttpRunner::words_to_load(const HttpCell& cell, const HttpContender& contender,
                                const std::string& origin) const {
  const HttpLoad& load = cell.load;
  const std::string connections = std::to_string(load.connections);
  if (contender.generator == HttpGenerator::wrk) {
    // It takes whole seconds.
    const int seconds = std::max(1, static_cast<int>(load.seconds));
    return {machine_.wrk,       "-t1",
            "-c" + connections, "-d" + std::to_string(seconds) + "s",
            "--latency",        origin + load.targets.front()};
  }
  if (contender.generator == HttpGenerator::h2load) {
    return {machine_.h2load,
            "--h1",
            "-t1",
            "-c" + connections,
            "--timing-script-file=" + file("timing.txt"),
            "--log-file=" + file("h2load.log"),
            "--base-uri=" + origin};
  }
  Words words = {machine_.weft, "load"};
  for (const std::string& target : load.targets) {
    const auto slash = target.find('/');
    words.push_back(target.substr(0, slash) + origin + target.substr(slash));
  }
  const Words common = {"--cpu",     std::to_string(machine_.generator_cpu),
                        "--json",    file("load.json"),
                        "--timeout", base::to_text(load.timeout_seconds) + "s"};
  words.insert(words.end(), common.begin(), common.end());
  if (load.segments.empty()) {
    for (const std::string& word :
         Words{"--closed", "--connections", connections, "--duration",
               std::to_string(static_cast<int>(load.seconds * 1000)) + "ms"}) {
      words.push_back(word);
    }
    return words;
  }
  for (const std::string& word :
       Words{"--schedule", file("segments.json"), "--seed", std::to_string(options_.seed),
             "--samples", file("samples.csv"), "--spin"}) {
    words.push_back(word);
  }
  if (load.new_connections) {
    words.emplace_back("--new-connections");
  } else {
    words.emplace_back("--ready");
    words.push_back(connections);
  }
  return words;
}

base::Status HttpRunner::write_inputs(const HttpCell& cell) const {
  if (auto status = write_file(file("segments.json"), cell.load.segments); !status) return status;
  return write_file(file("timing.txt"), timing_script(cell.load));
}

base::Result<double> HttpRunner::load(const HttpCell& cell, const HttpContender& contender,
                                      const RunningHttpServer& server, HttpTrace* trace) {
  auto generator = trial::BackgroundProcess::start(words_to_load(cell, contender, server.url("")),
                                                   {machine_.generator_cpu}, file("load.log"));
  if (!generator) return generator.error();
  const auto begin = Clock::now();
  while (generator->is_running() && Clock::now() - begin < longest_load) {
    if (auto status = bench::check_interrupt(); !status) return status.error();
    if (trace != nullptr) trace->workers.emplace_back(seconds_since(begin), workers_of(server));
    std::this_thread::sleep_for(look_interval);
  }
  const auto cpu = trial::read_cpu_time(generator->id());
  const auto code = generator->wait_for_end(std::chrono::milliseconds{0});
  if (!code) return code.error();
  if (!server.process().is_running()) {
    return base::Error{"the server has died. Its last words:\n" + server.process().last_words()};
  }
  if (*code == 0 || (*code == exit_void && contender.generator == HttpGenerator::weft)) {
    return cpu ? cpu->seconds() : 0;
  }
  return base::Error{"the generator failed with exit code " + std::to_string(*code) + ": " +
                     generator->last_words()};
}

base::Result<HttpMeasurement> HttpRunner::read_results(const HttpCell& cell,
                                                       const HttpContender& contender,
                                                       HttpTrace* trace) const {
  const auto text = os::read_text(contender.generator == HttpGenerator::weft  ? file("load.json")
                                  : contender.generator == HttpGenerator::wrk ? file("load.log")
                                                                              : file("h2load.log"));
  if (!text) return text.error();
  if (contender.generator == HttpGenerator::wrk) return parse_wrk(*text);
  if (contender.generator == HttpGenerator::h2load) return parse_h2load_log(*text);
  auto measured = parse_load_report(*text);
  if (!measured || cell.load.segments.empty()) return measured;
  const auto csv = os::read_text(file("samples.csv"));
  if (!csv) return csv.error();
  auto samples = parse_samples(*csv, cell.load.timeout_seconds * 1000);
  if (!samples) return samples.error();
  measured->asked_p99 = asked_p99(*samples);
  if (trace != nullptr) trace->samples = std::move(*samples);
  return measured;
}

base::Result<HttpMeasurement> HttpRunner::run_once(const HttpCell& cell,
                                                   const HttpContender& contender,
                                                   HttpTrace* trace) {
  auto server = RunningHttpServer::start(peers_, contender.kind, contender.options,
                                         {machine_.server_cpu}, directory_);
  if (!server) return server.error();
  std::optional<IdleConnections> idle;
  double idle_bytes = 0;
  if (contender.idle_connections > 0) {
    const double before = server->memory_bytes();
    auto opened = IdleConnections::open(server->port(), contender.idle_connections);
    if (!opened) return opened.error();
    idle.emplace(std::move(*opened));
    idle_bytes = (server->memory_bytes() - before) / contender.idle_connections;
  }
  if (auto status = write_inputs(cell); !status) return status.error();
  const double cpu_before = server->cpu_seconds();
  const auto begin = Clock::now();
  const auto generator_seconds = load(cell, contender, *server, trace);
  if (!generator_seconds) return generator_seconds.error();
  const double seconds = seconds_since(begin);
  const double cpu = server->cpu_seconds() - cpu_before;
  auto measured = read_results(cell, contender, trace);
  if (!measured) return measured;
  measured->idle_bytes = idle_bytes;
  measured->server_cpu = cpu / seconds;
  if (contender.generator != HttpGenerator::weft) {
    measured->generator_cpu = *generator_seconds / seconds;
  }
  if (measured->goodput > 0) measured->server_us = 1e6 * cpu / (measured->goodput * seconds);
  return measured;
}

void HttpRunner::take_turn(std::size_t contender, int round, HttpSamples& samples) {
  const HttpCell& cell = samples.cell;
  const std::string title =
      cell.contenders[contender].name + ", round " + std::to_string(round + 1);
  // What is void is tried once more.
  const int attempts = options_.quick ? 1 : 2;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    progress_.show(cell.name + ": " + title + " of " + std::to_string(options_.repeats));
    auto measured = run_once(cell, cell.contenders[contender], nullptr);
    if (!bench::check_interrupt()) return;
    if (!measured) {
      samples.failures.push_back(title + ": " + measured.error().message);
      break;
    }
    if (measured->void_because.empty()) {
      samples.rounds[contender].emplace_back(std::move(*measured));
      return;
    }
    ++samples.voids[contender];
    samples.void_because = measured->void_because;
  }
  samples.rounds[contender].emplace_back(std::nullopt);
}

base::Result<HttpSamples> HttpRunner::measure(const HttpCell& cell) {
  HttpSamples samples(cell);
  std::vector<std::size_t> order(cell.contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (cell.is_traced && !options_.report.empty()) {
    for (const std::size_t contender : order) {
      progress_.show(cell.name + ": " + cell.contenders[contender].name + ", for the plots");
      const auto measured =
          run_once(cell, cell.contenders[contender], &samples.traces.emplace_back());
      if (auto status = bench::check_interrupt(); !status) return status.error();
      if (!measured) {
        samples.failures.push_back(cell.contenders[contender].name +
                                   ", for the plots: " + measured.error().message);
      }
    }
  }
  for (int round = 0; round < options_.repeats; ++round) {
    for (const std::size_t contender : order) {
      take_turn(contender, round, samples);
      if (auto status = bench::check_interrupt(); !status) return status.error();
    }
    std::reverse(order.begin(), order.end());
  }
  return samples;
}

}  // namespace weft::tool
