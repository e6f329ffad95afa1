// SPDX-License-Identifier: Apache-2.0
// A budget as JSON. The keys are described in docs/budget.md.
#include <nlohmann/json.hpp>

#include "budget_output.h"

namespace weft::tool {
namespace {

using Json = nlohmann::ordered_json;

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

Json candidates_json(const std::vector<budget::Candidate>& candidates, const char* unit) {
  Json list = Json::array();
  for (const budget::Candidate& candidate : candidates) {
    list.push_back({{"source", candidate.source},
                    {"where", candidate.where},
                    {unit, candidate.value ? Json(*candidate.value) : Json()},
                    {"verdict", to_string(candidate.verdict)},
                    {"reason", candidate.reason}});
  }
  return list;
}

Json cpu_json(const budget::CpuBudget& cpu) {
  return {{"cores", cpu.cores},
          {"threads", cpu.threads},
          {"source", cpu.source},
          {"where", cpu.where},
          {"pinned", cpu.pinned}};
}

Json memory_json(const budget::MemoryBudget& memory) {
  const auto& high = memory.throttled_above_bytes;
  return {{"bytes", memory.bytes},
          {"throttled_above_bytes", high ? Json(*high) : Json()},
          {"throttled_where", memory.throttled_where},
          {"source", memory.source},
          {"where", memory.where}};
}

Json stall_json(const std::optional<budget::Stall>& stall) {
  if (!stall) return nullptr;
  return {{"avg10", stall->average_10s},
          {"avg60", stall->average_60s},
          {"avg300", stall->average_300s},
          {"total_seconds", seconds(stall->total)}};
}

Json pressure_json(const budget::Pressure& pressure) {
  Json throttling = Json::array();
  for (const budget::Throttling& level : pressure.throttling) {
    throttling.push_back({{"where", level.where},
                          {"periods", level.periods},
                          {"throttled_periods", level.throttled_periods},
                          {"throttled_seconds", seconds(level.throttled)},
                          {"bursts", level.bursts},
                          {"burst_seconds", seconds(level.burst)},
                          {"burst_limit_seconds", seconds(level.burst_limit)}});
  }
  Json stalls = Json::array();
  for (const budget::StallReading& reading : pressure.stalls) {
    stalls.push_back({{"resource", to_string(reading.resource)},
                      {"scope", to_string(reading.scope)},
                      {"where", reading.where},
                      {"available", reading.available()},
                      {"reason", reading.reason},
                      {"some", stall_json(reading.some)},
                      {"full", stall_json(reading.full)}});
  }
  return {{"throttling", std::move(throttling)}, {"stalls", std::move(stalls)}};
}

Json size_json(const budget::Size& size) {
  return {{"value", size.value}, {"rule", size.rule}};
}

Json sizes_json(const budget::Sizes& sizes) {
  return {{"cpu_pool_threads", size_json(sizes.cpu_pool_threads)},
          {"io_pool_threads", size_json(sizes.io_pool_threads)},
          {"malloc_arenas", size_json(sizes.malloc_arenas)},
          {"stack_budget_bytes", size_json(sizes.stack_budget_bytes)},
          {"stack_bytes_per_thread", size_json(sizes.stack_bytes_per_thread)}};
}

// File names are bytes and need not be UTF-8; what is not is replaced, never refused.
std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string budget_json(const budget::Budget& budget, const budget::Pressure& pressure) {
  Json cpu = cpu_json(budget.cpu);
  cpu["candidates"] = candidates_json(budget.cpu.candidates, "cores");
  Json memory = memory_json(budget.memory);
  memory["candidates"] = candidates_json(budget.memory.candidates, "bytes");
  return dump({{"cpu", std::move(cpu)},
               {"memory", std::move(memory)},
               {"pressure", pressure_json(pressure)},
               {"sizes", sizes_json(budget.sizes)},
               {"notes", budget.notes}},
              2);
}

std::string budget_json_line(const budget::Budget& budget, const budget::Pressure& pressure,
                             bool changed) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return dump({{"time", std::chrono::duration<double>(now).count()},
               {"changed", changed},
               {"cpu", cpu_json(budget.cpu)},
               {"memory", memory_json(budget.memory)},
               {"pressure", pressure_json(pressure)}},
              -1);
}

}  // namespace weft::tool
