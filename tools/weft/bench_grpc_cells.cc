// SPDX-License-Identifier: Apache-2.0
// The table of `weft bench grpc`.
#include "bench_grpc_cells.h"

namespace weft::tool {
namespace {

using Server = GrpcServer;

constexpr double percent = 100;
constexpr unsigned megabyte = 1'000'000;

struct InFlight {
  unsigned connections;
  unsigned streams;
};
constexpr InFlight in_flight[] = {{1, 1}, {4, 2}, {8, 8}};

// More calls, or less CPU for each: `more` says which of the two is better.
std::vector<TurnComparison> beside_others(const std::string& number, const std::string& title,
                                          const std::string& unit, bool more) {
  const auto at_least = [&](double times) {
    return more ? bench::ratio_at_least(times) : bench::ratio_at_most(1 / times);
  };
  const std::string ours = name_of(Server::weft);
  return {{ours, name_of(Server::queues), number, title, unit, at_least(1)},
          {ours, name_of(Server::callback), number, title, unit, at_least(2)},
          {ours, name_of(Server::weft_on_grpc), number, title, unit},
          {ours, name_of(Server::unchecked_queues), number, title, unit},
          {ours, name_of(Server::go), number, title, unit}};
}

void add_unary(std::vector<GrpcCell>& cells, GrpcGenerator generator, bool quick) {
  const bool is_client = generator == GrpcGenerator::client;
  for (const InFlight& load : in_flight) {
    const unsigned calls = load.connections * load.streams;
    GrpcCell cell{.name = "unary, " + std::to_string(calls) + " in flight, by " +
                          (is_client ? "gRPC's client" : "h2load"),
                  .generator = generator,
                  .connections = load.connections,
                  .streams = load.streams,
                  .milliseconds = quick ? 500U : 2000U,
                  .servers = {Server::weft, Server::weft_on_grpc, Server::queues, Server::callback},
                  .comparisons = {},
                  .columns = {{"rate", "calls /s"},
                              {"server_us", "us CPU each"},
                              {"server_cpu", "server CPU %", percent},
                              {"load_cpu", "load CPU %", percent}},
                  .is_quick = calls == 64 && !is_client};
    if (!quick) {
      cell.servers.push_back(Server::unchecked_queues);
      cell.servers.push_back(Server::go);
    }
    if (is_client) {
      cell.columns.push_back({"p50", "P50 us"});
      cell.columns.push_back({"p99", "P99 us"});
      cell.comparisons = beside_others("server_us", "CPU for a call", "us", false);
    } else {
      cell.comparisons = beside_others("rate", "calls", "/s", true);
    }
    cells.push_back(std::move(cell));
  }
}

void add_streams(std::vector<GrpcCell>& cells, bool quick) {
  const unsigned clients = quick ? 10 : 100;
  const std::string ours = name_of(Server::pour);
  cells.push_back({.name = "streams, " + std::to_string(clients) + " clients that read 1 MB/s each",
                   .generator = GrpcGenerator::readers,
                   .connections = clients,
                   .milliseconds = quick ? 2000U : 20'000U,
                   .reader_bytes_per_second = megabyte,
                   .servers = {Server::pour, Server::pour_on_grpc},
                   .comparisons = {{ours, "", "growth", "memory, last third to first third", "",
                                    bench::ours_at_most(1.05)},
                                   {ours, "", "slowest", "MB/s of the slowest client", "MB/s",
                                    bench::ours_at_least(0.95)},
                                   {ours, "", "memory", "memory", "MB"}},
                   .columns = {{"rate", "MB/s of all"},
                               {"slowest", "slowest MB/s"},
                               {"memory", "PSS MB"},
                               {"growth", "last third / first"},
                               {"server_cpu", "server CPU %", percent},
                               {"load_cpu", "load CPU %", percent}},
                   .is_quick = true});
}

}  // namespace

const char* name_of(GrpcServer server) {
  switch (server) {
    case Server::weft:
      return "weft";
    case Server::weft_on_grpc:
      return "weft on gRPC's transport";
    case Server::queues:
      return "queue per thread";
    case Server::unchecked_queues:
      return "queue per thread, mutexes unchecked";
    case Server::callback:
      return "callback API";
    case Server::go:
      return "Go";
    case Server::pour:
      return "weft's stream";
    case Server::pour_on_grpc:
      return "weft's stream on gRPC's transport";
  }
  return "";
}

std::vector<GrpcCell> grpc_cells(bool quick) {
  std::vector<GrpcCell> cells;
  add_unary(cells, GrpcGenerator::h2load, quick);
  add_unary(cells, GrpcGenerator::client, quick);
  add_streams(cells, quick);
  return cells;
}

std::set<GrpcServer> servers_of(const std::vector<GrpcCell>& cells) {
  std::set<GrpcServer> servers;
  for (const GrpcCell& cell : cells) servers.insert(cell.servers.begin(), cell.servers.end());
  return servers;
}

std::vector<GrpcCell> without(std::vector<GrpcCell> cells, const std::set<GrpcServer>& missing) {
  for (GrpcCell& cell : cells) {
    std::erase_if(cell.servers, [&](GrpcServer server) { return missing.contains(server); });
  }
  std::erase_if(cells, [](const GrpcCell& cell) { return cell.servers.empty(); });
  return cells;
}

TurnCell turns_of(const GrpcCell& cell) {
  TurnCell turns{cell.name, {}, cell.comparisons, cell.columns};
  for (const GrpcServer server : cell.servers) turns.contenders.emplace_back(name_of(server));
  return turns;
}

}  // namespace weft::tool
