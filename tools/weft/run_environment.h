// SPDX-License-Identifier: Apache-2.0
// What `weft run` tells the preload library, which listens to the environment only.
//
// Pure. An option wins over the variable of the same meaning; a variable that no option replaces is
// checked as the option would be, so that a mistake is named here and not by the program's start.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace weft::tool {

struct RunOptions {
  std::string workers;                   // a number or "auto"; empty: not given
  std::vector<std::string> keep_native;  // patterns of names
  bool stats = false;
  std::string report;    // a file; empty: none
  std::string children;  // none, same or all; empty: not given
  bool host_cpus = false;
  bool verbose = false;
};

using Assignments = std::vector<std::pair<std::string, std::string>>;
// As std::getenv().
using Variable = char* (*)(const char* name);

// The variables to set for the program, LD_PRELOAD first. An Error names the option or variable
// that makes no sense, and what would.
base::Result<Assignments> assignments_for(const RunOptions& options, const std::string& library,
                                          Variable variable);

// LD_PRELOAD with our library first, then what was there.
std::string preload_list(const std::string& library, const char* current);

// Whether the report can be written, found out before the program runs; leaves no file behind that
// was not there. The path becomes absolute: the program may change its directory.
base::Result<std::string> check_report(const std::string& path);

}  // namespace weft::tool
