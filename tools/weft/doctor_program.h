// SPDX-License-Identifier: Apache-2.0
// What the doctor finds about a program, without running it.
#pragma once

#include <string>
#include <vector>

#include "inspect/finding.h"

namespace weft::tool {

struct ProgramExamination {
  std::string path;    // empty: not found
  std::string binary;  // whose threads will run; differs for a script
  std::vector<inspect::Finding> findings;
};

ProgramExamination examine_program(const std::vector<std::string>& words);

}  // namespace weft::tool
