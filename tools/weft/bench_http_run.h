// SPDX-License-Identifier: Apache-2.0
// Runs cells: a fresh server for each run, loaded from another CPU, contenders in turn.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bench/benchmark.h"
#include "bench_http_peers.h"
#include "bench_http_samples.h"

namespace weft::tool {

struct HttpMachine {
  int server_cpu = 0;
  int generator_cpu = 1;
  std::string weft{};    // programs, with their paths
  std::string wrk{};     // empty: not there
  std::string h2load{};  // empty: not there
};

class RunningHttpServer;

class HttpRunner {
 public:
  HttpRunner(const HttpPeers& peers, HttpMachine machine, std::string directory,
             const bench::Options& options, bench::Progress& progress)
      : peers_(peers),
        machine_(std::move(machine)),
        directory_(std::move(directory)),
        options_(options),
        progress_(progress) {}

  // All rounds of a cell. A run that fails is noted, and the rest goes on; the Error says that a
  // signal came.
  base::Result<HttpSamples> measure(const HttpCell& cell);

  // How a contender is loaded, as words of a shell; for the report.
  std::vector<std::string> words_to_load(const HttpCell& cell, const HttpContender& contender,
                                         const std::string& origin) const;

 private:
  base::Result<HttpMeasurement> run_once(const HttpCell& cell, const HttpContender& contender,
                                         HttpTrace* trace);
  // The CPU time that the generator took, in seconds.
  base::Result<double> load(const HttpCell& cell, const HttpContender& contender,
                            const RunningHttpServer& server, HttpTrace* trace);
  base::Result<HttpMeasurement> read_results(const HttpCell& cell, const HttpContender& contender,
                                             HttpTrace* trace) const;
  base::Status write_inputs(const HttpCell& cell) const;
  void take_turn(std::size_t contender, int round, HttpSamples& samples);

  std::string file(const char* name) const { return directory_ + "/" + name; }

  const HttpPeers& peers_;
  HttpMachine machine_;
  std::string directory_;
  bench::Options options_;
  bench::Progress& progress_;
};

}  // namespace weft::tool
