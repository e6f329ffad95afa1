// SPDX-License-Identifier: Apache-2.0
// A report as one SVG file with nothing from outside: latency by quantile, and P99 and rate over
// time, with what else happened meanwhile (workers, queue) laid over. Pure.
#pragma once

#include <string>
#include <vector>

#include "load/load.h"

namespace weft::load {

// Something that was watched elsewhere during the run, such as the server's workers.
struct Overlay {
  std::string name;
  struct Point {
    double seconds = 0;  // from the start of the run
    double value = 0;
  };
  std::vector<Point> points;
};

// Precondition: the report has samples.
std::string to_svg(const Report& report, nanoseconds timeout, const std::vector<Overlay>& overlays);

}  // namespace weft::load
