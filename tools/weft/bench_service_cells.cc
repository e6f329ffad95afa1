// SPDX-License-Identifier: Apache-2.0
// The table of `weft bench service`, and its schedules.
#include "bench_service_cells.h"

#include <filesystem>

#include "base/text.h"

namespace weft::tool {
namespace {

constexpr double percent = 100;

constexpr const char* by_budget = "sizes from the budget";
constexpr const char* by_host = "sizes as of 64 CPUs";
constexpr const char* alone = "service";

// Shares of the capacity: four fifths of each second are quiet, and one is a burst.
constexpr double quiet_share = 0.5;
constexpr double burst_share = 2;
constexpr double quiet_seconds = 0.8;
constexpr double burst_seconds = 0.2;
// Before and behind an overload.
constexpr double unloaded_share = 0.4;

ServiceTimes times_of(bool quick) {
  if (!quick) return {};
  return {.closed_seconds = 1,
          .pause_seconds = 0.2,
          .open_seconds = 1,
          .quiet_seconds = 0.5,
          .overload_seconds = 1,
          .recovery_seconds = 1};
}

void add_budget(std::vector<ServiceCell>& cells, double cores, bool waits, bool quick) {
  cells.push_back(
      {.suite = ServiceSuite::budget,
       .name = "budget, quota of " + base::to_text(cores) + " cores" +
               (waits ? ", handlers that wait 2 ms" : ""),
       .cores = cores,
       .waits = waits,
       .times = times_of(quick),
       .contenders = {{by_budget}, {by_host, {"CPU_LIMIT=64"}}},
       .comparisons = {{by_budget, by_host, "throttled_periods", "share of periods throttled", "",
                        bench::ratio_at_most(0.2)},
                       {by_budget, by_host, "throttled_time", "throttled time", "s/s",
                        bench::ratio_at_most(0.2)},
                       {by_budget, by_host, "p99", "P99", "ms", bench::ratio_at_most(1)},
                       {by_budget, by_host, "p50", "P50", "ms"},
                       {by_budget, by_host, "goodput", "good answers", "/s"}},
       .columns = {{"goodput", "good /s"},
                   {"p50", "P50 ms"},
                   {"p99", "P99 ms"},
                   {"all_p99", "with stalls ms"},
                   {"stalled", "stalled %", percent},
                   {"refused", "refused %", percent},
                   {"failed", "failed %", percent},
                   {"throttled_periods", "periods throttled %", percent},
                   {"throttled_time", "throttled s/s"},
                   {"threads", "threads"},
                   {"memory", "PSS MB"}},
       .is_quick = cores == 1 && !waits});
}

void add_overloads(std::vector<ServiceCell>& cells, bool is_grpc, bool quick) {
  for (const int factor : {2, 4, 10}) {
    cells.push_back(
        {.suite = ServiceSuite::overload,
         .name = std::string(is_grpc ? "overload by gRPC, " : "overload, ") +
                 std::to_string(factor) + " times the capacity",
         .overload = static_cast<double>(factor),
         .is_grpc = is_grpc,
         .times = times_of(quick),
         .contenders = {{alone}},
         .comparisons = {{alone, "", "goodput_share", "good answers to the capacity", "",
                          bench::ours_at_least(0.9)},
                         {alone, "", "p99_ratio", "P99 of the accepted to the unloaded one", "",
                          bench::ours_at_most(2)},
                         {alone, "", "recovery", "recovers in", "s", bench::ours_at_most(5)},
                         {alone, "", "settled_ratio", "the same P99 behind the first 1.2 s", "",
                          bench::ours_at_most(2)}},
         .columns = {{"capacity", "capacity /s"},
                     {"goodput", "good /s"},
                     {"unloaded_p99", "unloaded P99 ms"},
                     {"overload_p50", "accepted P50 ms"},
                     {"overload_p99", "accepted P99 ms"},
                     {"all_p99", "with stalls ms"},
                     {"stalled", "stalled %", percent},
                     {"settled_p99", "settled P99 ms"},
                     {"failed", "failed %", percent},
                     {"recovery", "recovery s"},
                     {"server_cpu", "server CPU %", percent},
                     {"load_cpu", "load CPU %", percent}},
         .is_quick = factor == 2 && !is_grpc});
  }
}

void add_models(std::vector<ServiceCell>& cells, bool quick) {
  ServiceCell cell{.suite = ServiceSuite::models,
                   .name = "models",
                   .times = times_of(quick),
                   .contenders = {},
                   .comparisons = {},
                   .columns = {{"goodput", "good /s"},
                               {"p50", "P50 ms"},
                               {"p99", "P99 ms"},
                               {"server_us", "us CPU each"},
                               {"threads", "threads"},
                               {"memory", "PSS MB"}},
                   .is_quick = false};
  const std::string first = "threads";
  for (const char* const model : {"threads", "coroutines", "fibers", "boost-fiber"}) {
    cell.contenders.push_back({model, {}});
    if (model == first) continue;
    cell.comparisons.push_back({model, first, "goodput", "good answers", "/s"});
    cell.comparisons.push_back({model, first, "p99", "P99", "ms"});
    cell.comparisons.push_back({model, first, "memory", "memory", "MB"});
  }
  cells.push_back(std::move(cell));
}

}  // namespace

std::vector<ServiceCell> service_cells(bool quick, const ServiceProfile& profile) {
  std::vector<ServiceCell> cells;
  for (const double cores : {0.5, 1.0, 1.5}) add_budget(cells, cores, false, quick);
  if (!profile.waiting_target.empty()) add_budget(cells, 1, true, quick);
  add_overloads(cells, false, quick);
  if (!profile.grpc_text.empty()) add_overloads(cells, true, quick);
  if (!profile.model_variable.empty()) add_models(cells, quick);
  return cells;
}

TurnCell turns_of(const ServiceCell& cell) {
  TurnCell turns{cell.name, {}, cell.comparisons, cell.columns};
  for (const ServiceContender& contender : cell.contenders) {
    turns.contenders.push_back(contender.name);
  }
  return turns;
}

std::optional<ServiceProfile> profile_of(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  if (name == "weft-bench-service") {
    return ServiceProfile{
        .target = "/pages/7", .waiting_target = "/pages/7?wait=2", .grpc_text = "7"};
  }
  if (name == "links") {
    return ServiceProfile{
        .target = "/links?limit=50", .fill_path = "/links", .model_variable = "LINKS_MODEL"};
  }
  return std::nullopt;
}

std::string known_services() {
  return "weft-bench-service, links";
}

std::vector<ServiceSegment> burst_segments(double capacity, const ServiceTimes& times) {
  std::vector<ServiceSegment> segments;
  for (int second = 0; second < static_cast<int>(times.open_seconds); ++second) {
    segments.push_back({quiet_share * capacity, quiet_seconds, "quiet"});
    segments.push_back({burst_share * capacity, burst_seconds, "burst"});
  }
  return segments;
}

std::vector<ServiceSegment> overload_segments(double capacity, double factor,
                                              const ServiceTimes& times) {
  const double unloaded = unloaded_share * capacity;
  return {{unloaded, times.quiet_seconds, "quiet"},
          {factor * capacity, times.overload_seconds, "burst"},
          {unloaded, times.recovery_seconds, "recovery"}};
}

std::string milliseconds_text(double seconds) {
  return std::to_string(static_cast<long>(seconds * 1000));
}

std::string segments_text(const std::vector<ServiceSegment>& segments) {
  std::string text;
  for (const ServiceSegment& segment : segments) {
    text += (text.empty() ? "[" : ",") + (R"({"rate":)" + base::to_text(segment.rate)) +
            R"(,"length":")" + milliseconds_text(segment.seconds) + R"(ms","phase":")" +
            segment.phase + R"("})";
  }
  return text + "]";
}

}  // namespace weft::tool
