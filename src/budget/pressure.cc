// SPDX-License-Identifier: Apache-2.0
// How hard we are pressed: throttling of every level that counts it, and stalls.
#include <cerrno>

#include <weft/pressure.h>

#include "base/text.h"
#include "budget/cgroup_values.h"
#include "budget/cgroup_view.h"
#include "budget/pressure_file.h"
#include "budget/psi.h"

namespace weft::budget {
namespace {

std::vector<Throttling> read_throttling(const Host& host, const CgroupView& view) {
  std::vector<Throttling> result;
  Footprint ignored;
  const Levels found = find_levels(host, view, "cpu", ignored);
  for (const Level& level : found.levels) {
    // The root keeps no such counters on v2, and only zeros on v1.
    if (!level.can_change) continue;
    const std::string where = level.directory + "/cpu.stat";
    const auto text = host.read(where);
    auto throttling = text ? parse_cpu_stat(*text) : std::nullopt;
    if (!throttling) continue;
    throttling->where = where;
    const auto burst =
        host.read(level.directory + (found.version == 2 ? "/cpu.max.burst" : "/cpu.cfs_burst_us"));
    const auto limit = parse_burst(burst ? *burst : "");
    if (limit) throttling->burst_limit = *limit;
    result.push_back(std::move(*throttling));
  }
  return result;
}

StallReading read_stall(const Host& host, const PressureFile& file) {
  StallReading reading;
  reading.resource = file.resource;
  reading.scope = file.scope;
  reading.where = file.where;
  reading.reason = file.problem;
  if (!reading.reason.empty()) return reading;
  const auto text = host.read(file.where);
  if (!text) {
    reading.reason = explain_no_pressure(host, file, text.error().code, text.error().message);
    return reading;
  }
  const auto lines = parse_psi(*text);
  if (lines) {
    reading.some = lines->some;
    reading.full = lines->full;
  } else {
    reading.reason = lines.error().message;
  }
  return reading;
}

}  // namespace

const char* to_string(Resource resource) noexcept {
  switch (resource) {
    case Resource::cpu:
      return "cpu";
    case Resource::memory:
      return "memory";
    case Resource::io:
      return "io";
    case Resource::irq:
      return "irq";
  }
  return "?";
}

const char* to_string(Scope scope) noexcept {
  return scope == Scope::system ? "system" : "cgroup";
}

Pressure read_pressure(const Query& query) {
  const Host host(query);
  const CgroupView view = view_cgroups(host);
  Pressure pressure;
  pressure.throttling = read_throttling(host, view);
  for (const Scope scope : {Scope::system, Scope::cgroup}) {
    for (const Resource resource : {Resource::cpu, Resource::memory, Resource::io, Resource::irq}) {
      pressure.stalls.push_back(read_stall(host, find_pressure_file(host, view, resource, scope)));
    }
  }
  return pressure;
}

}  // namespace weft::budget
