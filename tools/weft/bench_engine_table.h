// SPDX-License-Identifier: Apache-2.0
// What is compared, with whom, and which bar it must clear.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/row.h"

namespace weft::tool {

// A number that a measurement yields besides its value, as a row for information.
struct EngineExtra {
  const char* key;
  const char* name;
  const char* unit;
};

struct EngineRival {
  const char* measurement;
  const char* name;
  std::optional<bench::Bar> bar{};
};

// Contenders that are measured in the same repetitions: weft's measurement and its rivals'.
struct EngineComparison {
  const char* name;
  const char* unit;
  const char* ours;
  std::vector<EngineRival> rivals;
  std::vector<EngineExtra> extras{};  // beside the first rival
};

const std::vector<EngineComparison>& engine_comparisons();

}  // namespace weft::tool
