// SPDX-License-Identifier: Apache-2.0
// What `weft bench service` measures: cells, contenders and bars.
//
// Words
//   capacity   good answers a second of a closed loop, measured in the same hour and setting: all
//              loads are given as shares of it
//   budget     cells in which sizes from the budget stand beside sizes as of a host with 64 CPUs
//   overload   cells in which more comes than the capacity for a while
//   models     cells in which a service that has several models of concurrency shows each
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench_turns.h"

namespace weft::tool {

enum class ServiceSuite : std::uint8_t { budget, overload, models };

struct ServiceContender {
  std::string name;
  std::vector<std::string> environment = {};  // "CPU_LIMIT=64"
};

// How long the parts of a run take.
struct ServiceTimes {
  double closed_seconds = 3;
  double pause_seconds = 2;  // behind a closed loop, until nothing of it is left
  double open_seconds = 10;
  double quiet_seconds = 4;  // before an overload
  double overload_seconds = 10;
  double recovery_seconds = 8;  // behind it
};

struct ServiceCell {
  ServiceSuite suite = ServiceSuite::budget;
  std::string name;
  double cores = 0;      // of the quota
  bool waits = false;    // handlers that wait for others, too
  double overload = 0;   // times the capacity
  bool is_grpc = false;  // and not HTTP
  ServiceTimes times;
  std::vector<ServiceContender> contenders;
  std::vector<TurnComparison> comparisons;
  std::vector<TurnColumn> columns;
  bool is_quick = false;
};

TurnCell turns_of(const ServiceCell& cell);

// What is known of a service that is measured.
struct ServiceProfile {
  std::string target;               // what is asked, by GET
  std::string waiting_target = {};  // the same, with a handler that waits; empty: it has none
  std::string fill_path = {};       // where its data is posted first, as JSON; empty: nowhere
  std::string model_variable = {};  // of the environment; empty: it has no models
  std::string grpc_text = {};       // what bench/grpc/echo.proto is asked; empty: it has it not
};
// All of them that there can be, in the order in which they run.
std::vector<ServiceCell> service_cells(bool quick, const ServiceProfile& profile);

// By the name of its program. Nothing: an unknown one.
std::optional<ServiceProfile> profile_of(const std::string& program);
// The names that are known, for an Error.
std::string known_services();

// The schedules. Rates in requests a second.
struct ServiceSegment {
  double rate = 0;
  double seconds = 0;
  const char* phase = "";
};
std::vector<ServiceSegment> burst_segments(double capacity, const ServiceTimes& times);
std::vector<ServiceSegment> overload_segments(double capacity, double factor,
                                              const ServiceTimes& times);
// Whole ones, without the unit.
std::string milliseconds_text(double seconds);
// For `weft load --schedule`.
std::string segments_text(const std::vector<ServiceSegment>& segments);

}  // namespace weft::tool
