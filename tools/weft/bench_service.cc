// SPDX-License-Identifier: Apache-2.0
// Chooses the cells, finds the service, measures, and puts the report together.
#include "bench_service.h"

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/rivals.h"
#include "bench_budget_rivals.h"
#include "bench_choose.h"
#include "bench_service_run.h"
#include "os/file.h"

namespace weft::tool {
namespace {

base::Result<std::string> find_service(const bench::Options& options) {
  if (options.program.empty()) {
    return find_measuring_program("weft-bench-service", "bench/service");
  }
  if (::access(options.program.c_str(), X_OK) == 0) return options.program;
  return base::Error{"--program " + options.program + " is no program that can be run"};
}

}  // namespace

base::Result<bench::Report> bench_service(const bench::Options& options,
                                          bench::Progress& progress) {
  forget_overrides();
  const auto program = find_service(options);
  if (!program) return program.error();
  const auto profile = profile_of(*program);
  if (!profile) {
    return base::Error{"nothing is known of what to ask " + *program +
                       "; services that are known: " + known_services()};
  }
  const auto cells = choose_cells(
      service_cells(options.quick, *profile), options,
      profile->model_variable.empty() ? "\nModels are measured with --program PATH/links." : "");
  if (!cells) return cells.error();
  const auto cpus = choose_measuring_cpus();
  if (!cpus) return cpus.error();
  const auto weft = os::read_link("/proc/self/exe");
  if (!weft) return weft.error();
  const auto directory = bench::TemporaryDirectory::create();
  if (!directory) return directory.error();

  bench::Report report;
  ServiceRunner runner(*program, *profile, *weft, *cpus, directory->path().string(), options);
  for (const ServiceCell& cell : *cells) {
    progress.show(cell.name + ": how much it can do");
    if (const auto status = runner.calibrate(cell); !status) return status.error();
    const auto take_turn = [&](std::size_t contender) {
      return runner.run(cell, cell.contenders[contender]);
    };
    const auto status = measure_cell(turns_of(cell), options, progress, take_turn, report);
    if (!status) return status.error();
  }
  return report;
}

}  // namespace weft::tool
