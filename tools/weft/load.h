// SPDX-License-Identifier: Apache-2.0
// What the files of `weft load` share: its options as they were given, and the forms of its report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "load/load.h"
#include "load/plot.h"

namespace weft::tool {

struct LoadArguments {
  std::vector<std::string> urls;
  std::string method = "GET";
  std::vector<std::string> headers;
  std::string body;
  std::string body_file;

  std::string rate;
  std::string duration;
  std::string burst;
  std::string ramp;
  std::string on_off;
  std::string schedule;
  std::uint64_t seed = 1;
  std::uint64_t requests = 0;

  std::string timeout = "10s";
  std::string cpus;
  std::string authorities;
  std::string json;
  std::string samples;
  std::string svg;
  std::vector<std::string> overlays;

  int connections = 0;  // 0: as the mode has it
  int ready = 0;
  int threads = 1;
  bool uniform = false;
  bool original = false;
  bool closed = false;
  bool new_connections = false;
  bool spin = false;
  bool insecure = false;
};

// The plan that the options ask for; the Error says which one cannot be kept, and why.
base::Result<load::Plan> load_plan(const LoadArguments& arguments);

// The segments of a file such as [{"rate": 200, "length": "2s"}, …].
base::Result<std::vector<load::Segment>> read_segments(const std::string& path);

// "NAME=FILE" with lines "SECONDS,VALUE".
base::Result<load::Overlay> read_overlay(const std::string& text);

std::string load_table(const load::Plan& plan, const load::Report& report);
std::string load_json(const load::Plan& plan, const load::Report& report);

}  // namespace weft::tool
