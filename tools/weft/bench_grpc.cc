// SPDX-License-Identifier: Apache-2.0
// Chooses the cells, looks for who is needed, measures, and puts the report together.
//
// The servers are programs of their own, so that this one does not need gRPC.
#include "bench_grpc.h"

#include <string>
#include <utility>
#include <vector>

#include "bench/rivals.h"
#include "bench_budget_rivals.h"
#include "bench_choose.h"
#include "bench_grpc_run.h"

namespace weft::tool {
namespace {

bool needs_h2load(const std::vector<GrpcCell>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](const GrpcCell& cell) { return cell.generator == GrpcGenerator::h2load; });
}

}  // namespace

base::Result<bench::Report> bench_grpc(const bench::Options& options, bench::Progress& progress) {
  forget_overrides();
  auto cells = choose_cells(grpc_cells(options.quick), options);
  if (!cells) return cells.error();
  const auto cpus = choose_measuring_cpus();
  if (!cpus) return cpus.error();
  auto ours = find_measuring_program("weft-bench-grpc", "bench/grpc");
  if (!ours) return ours.error();
  const auto directory = bench::TemporaryDirectory::create();
  if (!directory) return directory.error();

  bench::Report report;
  GrpcPrograms programs{*ours, bench::find_program("h2load"), ""};
  std::vector<std::string> missing;
  std::set<GrpcServer> absent;
  if (servers_of(*cells).contains(GrpcServer::go)) {
    progress.show("compiling Go's server");
    if (auto compiled = compile_go_grpc(*directory)) {
      programs.go = std::move(*compiled);
    } else {
      missing.emplace_back("Go's gRPC (golang-go, golang-google-grpc-dev)");
      report.notes.push_back("Go's server could not be built: " + compiled.error().message);
      absent.insert(GrpcServer::go);
    }
  }
  if (programs.h2load.empty() && needs_h2load(*cells)) {
    missing.emplace_back("h2load (nghttp2-client)");
    std::erase_if(*cells,
                  [](const GrpcCell& cell) { return cell.generator == GrpcGenerator::h2load; });
  }
  if (!missing.empty() && !options.allow_missing) return bench::missing_rivals(missing);
  for (const std::string& name : missing) {
    report.notes.push_back(name + " is not there and was left out (--allow-missing)");
  }

  GrpcRunner runner(std::move(programs), *cpus, *directory);
  if (const auto status = runner.prepare(*directory); !status) return status.error();
  for (const GrpcCell& cell : without(std::move(*cells), absent)) {
    const auto take_turn = [&](std::size_t contender) {
      return runner.run(cell, cell.servers[contender]);
    };
    const auto status = measure_cell(turns_of(cell), options, progress, take_turn, report);
    if (!status) return status.error();
  }
  return report;
}

}  // namespace weft::tool
