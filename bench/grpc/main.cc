// SPDX-License-Identifier: Apache-2.0
// weft-bench-grpc: one of the servers, or the load.
//
//   weft-bench-grpc weft|queues ADDRESS THREADS
//   weft-bench-grpc callback ADDRESS
//   weft-bench-grpc load ADDRESS [CHANNELS OUTSTANDING SECONDS]    prints one line of JSON
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sides.h"

namespace weft::bench_grpc {

void announce(int port) {
  std::printf("listening on %d\n", port);
  std::fflush(stdout);
}

void wait_for_end_of_input() {
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
}

namespace {

std::uint32_t number_of(const std::string& text) {
  return static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
}

int load(const std::vector<std::string>& arguments) {
  Load load{.address = arguments[1]};
  if (arguments.size() == 5) {
    load.channels = number_of(arguments[2]);
    load.outstanding = number_of(arguments[3]);
    load.duration = std::chrono::seconds(number_of(arguments[4]));
  }
  const LoadResult result = run(load);
  const auto microseconds = [](std::chrono::nanoseconds duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
  };
  std::printf(
      "{\"calls_per_second\": %.0f, \"calls\": %llu, \"failed\": %llu, "
      "\"p50_microseconds\": %.1f, \"p99_microseconds\": %.1f}\n",
      result.calls_per_second, static_cast<unsigned long long>(result.calls),
      static_cast<unsigned long long>(result.failed), microseconds(result.p50),
      microseconds(result.p99));
  return result.failed == 0 && result.calls != 0 ? 0 : 1;
}

}  // namespace
}  // namespace weft::bench_grpc

int main(int count, char** values) {
  namespace bench = weft::bench_grpc;
  const std::vector<std::string> arguments(values + 1, values + count);
  const std::string mode = arguments.empty() ? "" : arguments[0];
  if (mode == "load" && (arguments.size() == 2 || arguments.size() == 5)) {
    return bench::load(arguments);
  }
  if (mode == "weft" && arguments.size() == 3) {
    bench::serve_with_weft(arguments[1], bench::number_of(arguments[2]));
  } else if (mode == "queues" && arguments.size() == 3) {
    bench::serve_with_queues(arguments[1], bench::number_of(arguments[2]));
  } else if (mode == "callback" && arguments.size() == 2) {
    bench::serve_with_callbacks(arguments[1]);
  } else {
    std::fputs(
        "usage: weft-bench-grpc weft|queues ADDRESS THREADS\n"
        "       weft-bench-grpc callback ADDRESS\n"
        "       weft-bench-grpc load ADDRESS [CHANNELS OUTSTANDING SECONDS]\n",
        stderr);
    return 2;
  }
  return 0;
}
