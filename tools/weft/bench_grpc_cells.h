// SPDX-License-Identifier: Apache-2.0
// What `weft bench grpc` measures: cells, who is measured in each, and the bars.
//
// Ceilings are measured with h2load, whose client is cheap enough to leave the server without a
// CPU. gRPC's own client needs more CPU for a call than a server does: with it, it is the CPU time
// of the server for each call that is quoted, and latency.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "bench_turns.h"

namespace weft::tool {

enum class GrpcServer : std::uint8_t {
  weft,
  weft_on_grpc,  // its transport
  queues,
  unchecked_queues,
  callback,
  go,
  pour,
  pour_on_grpc
};
enum class GrpcGenerator : std::uint8_t { h2load, client, readers };

// As it is called in the report.
const char* name_of(GrpcServer server);

struct GrpcCell {
  std::string name;
  GrpcGenerator generator = GrpcGenerator::h2load;
  unsigned connections = 1;
  unsigned streams = 1;                  // of each connection
  unsigned milliseconds = 2000;          // behind a second to warm up
  unsigned reader_bytes_per_second = 0;  // of each connection that reads
  std::vector<GrpcServer> servers;
  std::vector<TurnComparison> comparisons;
  std::vector<TurnColumn> columns;
  bool is_quick = false;  // part of --quick
};

// All of them, in the order in which they run. `quick`: with short loads.
std::vector<GrpcCell> grpc_cells(bool quick);

// Who is in them.
std::set<GrpcServer> servers_of(const std::vector<GrpcCell>& cells);
// Without those who are not there, and without cells in which nobody is left.
std::vector<GrpcCell> without(std::vector<GrpcCell> cells, const std::set<GrpcServer>& missing);

TurnCell turns_of(const GrpcCell& cell);

}  // namespace weft::tool
