// SPDX-License-Identifier: Apache-2.0
// Runs cells of `weft bench grpc`: a fresh server for each run, loaded from another CPU.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/rivals.h"
#include "bench_grpc_cells.h"
#include "bench_grpc_measurement.h"
#include "bench_measured.h"

namespace weft::tool {

struct GrpcPrograms {
  std::string ours;    // weft-bench-grpc
  std::string h2load;  // empty: not there
  std::string go;      // Go's server; empty: not there
};

// Compiles Go's server from what Debian has of Go's gRPC. Nothing is downloaded.
base::Result<std::string> compile_go_grpc(const bench::TemporaryDirectory& directory);

class GrpcRunner {
 public:
  GrpcRunner(GrpcPrograms programs, MeasuringCpus cpus, const bench::TemporaryDirectory& directory)
      : programs_(std::move(programs)), cpus_(cpus), directory_(directory.path().string()) {}

  // The body that h2load sends.
  base::Status prepare(const bench::TemporaryDirectory& directory);
  base::Result<TurnRun> run(const GrpcCell& cell, GrpcServer server) const;

 private:
  struct Running;
  std::vector<std::string> words_to_serve(GrpcServer server) const;
  std::vector<std::string> words_to_load(const GrpcCell& cell, const std::string& address) const;
  // One call, by gRPC's own client: h2load takes any answer for a good one.
  base::Status check(const std::string& address) const;

  GrpcPrograms programs_;
  MeasuringCpus cpus_;
  std::string directory_;
  std::string body_file_;
};

}  // namespace weft::tool
