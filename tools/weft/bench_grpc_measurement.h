// SPDX-License-Identifier: Apache-2.0
// What the generators of `weft bench grpc` print, as numbers. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bench_http_measurement.h"

namespace weft::tool {

using GrpcNumbers = std::map<std::string, double>;

// "rate", of h2load's summary. Calls that failed are an Error: a server must not gain by them.
base::Result<GrpcNumbers> parse_h2load_summary(std::string_view text);
// "rate", "p50" and "p99" in microseconds, of `weft-bench-grpc load`.
base::Result<GrpcNumbers> parse_grpc_load(const std::string& text);
// Shares that failed, and why the run is void, of `weft-bench-grpc open`.
base::Result<HttpMeasurement> parse_grpc_open_load(const std::string& text);
// "rate" and "slowest" in MB/s, of `weft-bench-grpc readers`.
base::Result<GrpcNumbers> parse_grpc_readers(const std::string& text);

// The port of "listening on PORT"; nothing where that was not said yet.
std::optional<int> parse_port(std::string_view text);

// How much more there is in the last third than in the first: the ratio of their medians. NaN with
// fewer than three samples.
double growth_of(const std::vector<double>& samples);

// A message of gRPC with a text in its first field, as the body of a request.
std::string grpc_body(std::string_view text);

}  // namespace weft::tool
