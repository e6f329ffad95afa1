// SPDX-License-Identifier: Apache-2.0
// The loads of a service by gRPC.
#include "bench_grpc_measurement.h"
#include "bench_service_process.h"
#include "bench_service_run.h"

namespace weft::tool {
namespace {

constexpr const char* channels = "4";
constexpr const char* calls_of_a_channel = "1";
constexpr std::chrono::seconds longest_load{120};

}  // namespace

base::Result<std::string> ServiceRunner::load_grpc(const std::vector<std::string>& words) const {
  const auto program = find_measuring_program("weft-bench-grpc", "bench/grpc");
  if (!program) return program.error();
  std::vector<std::string> all = {*program};
  all.insert(all.end(), words.begin(), words.end());
  auto generator = trial::BackgroundProcess::start(all, {cpus_.generator}, file("load.log"));
  if (!generator) return generator.error();
  const auto code = generator->wait_for_end(longest_load);
  if (!code) return code.error();
  if (*code != 0) {
    return base::Error{"weft-bench-grpc failed with exit code " + std::to_string(*code) + ": " +
                       generator->last_words()};
  }
  return generator->printed();
}

base::Result<HttpMeasurement> ServiceRunner::load_grpc_closed(const RunningService& service,
                                                              double seconds) const {
  const auto printed = load_grpc({"load", service.grpc(), channels, calls_of_a_channel,
                                  milliseconds_text(seconds), profile_.grpc_text});
  if (!printed) return printed.error();
  auto numbers = parse_grpc_load(*printed);
  if (!numbers) return numbers.error();
  HttpMeasurement measured;
  measured.goodput = (*numbers)["rate"];
  return measured;
}

base::Result<HttpMeasurement> ServiceRunner::load_grpc_by(
    const RunningService& service, const std::vector<ServiceSegment>& segments) const {
  std::vector<std::string> words = {"open", service.grpc(), profile_.grpc_text,
                                    std::to_string(options_.seed), file("samples.csv")};
  for (const ServiceSegment& segment : segments) {
    words.push_back(std::to_string(segment.rate) + ":" + milliseconds_text(segment.seconds));
  }
  const auto printed = load_grpc(words);
  if (!printed) return printed.error();
  if (!service.process().is_running()) {
    return base::Error{"the service has died. Its last words:\n" + service.process().last_words()};
  }
  return parse_grpc_open_load(*printed);
}

}  // namespace weft::tool
