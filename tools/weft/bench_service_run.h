// SPDX-License-Identifier: Apache-2.0
// Runs cells of `weft bench service`: a fresh service for each run, in a cgroup of its own where
// its quota is the matter, loaded by `weft load` from outside.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/benchmark.h"
#include "bench_measured.h"
#include "bench_service_cells.h"
#include "bench_service_samples.h"
#include "sandbox/cgroup.h"
#include "trial/background_process.h"

namespace weft::tool {

class RunningService;

class ServiceRunner {
 public:
  ServiceRunner(std::string program, ServiceProfile profile, std::string weft, MeasuringCpus cpus,
                std::string directory, const bench::Options& options)
      : program_(std::move(program)),
        profile_(std::move(profile)),
        weft_(std::move(weft)),
        cpus_(cpus),
        directory_(std::move(directory)),
        options_(options) {}

  // What the loads within a quota are shares of: measured once, with sizes from the budget. An
  // overload measures it in each run.
  base::Status calibrate(const ServiceCell& cell);
  base::Result<TurnRun> run(const ServiceCell& cell, const ServiceContender& contender);

 private:
  base::Result<TurnRun> run_in_quota(const ServiceCell& cell, const ServiceContender& contender);
  base::Result<TurnRun> run_overload(const ServiceCell& cell, const ServiceContender& contender);
  base::Result<TurnRun> run_model(const ServiceCell& cell, const ServiceContender& contender);

  // On the server's CPU, or in a cgroup, on both.
  base::Result<RunningService> start(const ServiceCell& cell,
                                     const std::vector<std::string>& environment,
                                     const sandbox::Cgroup* cgroup) const;
  base::Status fill(const RunningService& service) const;
  // `weft load` with these words, to its end. A run that is void is none that failed.
  base::Result<HttpMeasurement> load(const RunningService& service, std::vector<std::string> words,
                                     bool shares_cpus) const;
  base::Result<HttpMeasurement> load_closed(const RunningService& service, double seconds,
                                            bool shares_cpus) const;
  base::Result<std::vector<HttpSample>> read_samples() const;  // of the last load_by()
  base::Result<HttpMeasurement> load_by(const RunningService& service,
                                        const std::vector<ServiceSegment>& segments,
                                        bool shares_cpus) const;
  // The same by `weft-bench-grpc`, from a CPU of its own.
  base::Result<HttpMeasurement> load_grpc_closed(const RunningService& service,
                                                 double seconds) const;
  base::Result<HttpMeasurement> load_grpc_by(const RunningService& service,
                                             const std::vector<ServiceSegment>& segments) const;
  base::Result<std::string> load_grpc(const std::vector<std::string>& words) const;
  std::string file(const char* name) const { return directory_ + "/" + name; }

  std::string program_;
  ServiceProfile profile_;
  std::string weft_;
  MeasuringCpus cpus_;
  std::string directory_;
  bench::Options options_;
  std::map<std::string, double> capacities_;  // by the name of the cell
};

}  // namespace weft::tool
