// SPDX-License-Identifier: Apache-2.0
// Which file tells the pressure on a resource, and why it may not.
#pragma once

#include <string>

#include <weft/pressure.h>

#include "budget/cgroup_view.h"

namespace weft::budget {

struct PressureFile {
  Resource resource = Resource::cpu;
  Scope scope = Scope::system;
  std::string where;  // empty: there is none, and `problem` says why
  std::string problem;
};

// /proc/pressure/RESOURCE, or RESOURCE.pressure of our cgroup in the v2 hierarchy.
PressureFile find_pressure_file(const Host& host, const CgroupView& view, Resource resource,
                                Scope scope);

// Why a pressure file could not be opened or read, in words that say what to do.
std::string explain_no_pressure(const Host& host, const PressureFile& file, int error_code,
                                const std::string& message);

}  // namespace weft::budget
