// SPDX-License-Identifier: Apache-2.0
// The report of `weft load` for programs. Times are in seconds, rates in requests a second.
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "load.h"

namespace weft::tool {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::nanoseconds;

double seconds_of(nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

Json json_of(const load::Quantiles& of) {
  return {
      {"count", of.count},         {"p50", seconds_of(of.p50)},    {"p90", seconds_of(of.p90)},
      {"p99", seconds_of(of.p99)}, {"p99.9", seconds_of(of.p999)}, {"p99.99", seconds_of(of.p9999)},
      {"max", seconds_of(of.max)}, {"mean", seconds_of(of.mean)}};
}

Json bursts_of(const load::Summary& summary) {
  auto list = Json::array();
  for (const load::BurstSummary& burst : summary.bursts) {
    Json one{{"name", burst.name}, {"served", json_of(burst.served)}};
    one["recovery"] = burst.recovery ? Json(seconds_of(*burst.recovery)) : Json(nullptr);
    list.push_back(std::move(one));
  }
  return list;
}

Json phases_of(const load::Report& report) {
  auto list = Json::array();
  for (const load::Phase& phase : report.phases) {
    list.push_back({{"name", phase.name},
                    {"kind", load::name_of(phase.kind)},
                    {"begin", seconds_of(phase.begin)},
                    {"end", seconds_of(phase.end)}});
  }
  return list;
}

Json generator_of(const load::Report& report) {
  return {{"threads", report.usage.threads},
          {"work_share", load::work_share(report.usage)},
          {"wall", seconds_of(report.usage.wall)},
          {"cpu", seconds_of(report.usage.cpu)},
          {"spinning", seconds_of(report.usage.spinning)},
          {"waited", seconds_of(report.usage.waited)},
          {"throttled", seconds_of(report.usage.throttled)},
          {"connections", report.connections},
          {"waited_for_connection", report.summary.waited_for_connection}};
}

}  // namespace

std::string load_json(const load::Plan& plan, const load::Report& report) {
  const load::Summary& summary = report.summary;
  Json json{{"loop", plan.closed ? "closed" : "open"},
            {"seed", report.seed},
            {"length", seconds_of(report.length)},
            {"timeout", seconds_of(plan.timeout)},
            {"void", report.check.is_void()},
            {"void_because", report.check.void_because},
            {"notes", report.check.notes},
            {"stopped", report.was_stopped},
            {"rate",
             {{"offered", summary.offered_rate},
              {"answered", summary.answered_rate},
              {"good", summary.goodput}}},
            {"latency",
             {{"served", json_of(summary.served)},
              {"in_bursts", json_of(summary.in_bursts)},
              {"between", json_of(summary.between)},
              {"rejected", json_of(summary.rejected)},
              {"first_byte", json_of(summary.first_byte)},
              {"connect", json_of(summary.connect)}}},
            {"slip", json_of(summary.slip)},
            {"bursts", bursts_of(summary)}};
  for (std::size_t i = 0; i < load::outcome_count; ++i) {
    json["counts"][load::name_of(static_cast<load::Outcome>(i))] = summary.counts[i];
  }
  json["statuses"] = Json::object();
  for (const auto& [status, count] : summary.statuses) {
    json["statuses"][std::to_string(status)] = count;
  }
  json["phases"] = phases_of(report);
  json["generator"] = generator_of(report);
  return json.dump(2) + "\n";
}

}  // namespace weft::tool
