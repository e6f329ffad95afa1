// SPDX-License-Identifier: Apache-2.0
// The servers that are compared, and the load. Each is a process of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace weft::bench_grpc {

// Says "listening on PORT", and serves until standard input ends.
void serve_with_weft(const std::string& address, std::uint32_t threads);
// As gRPC's own example has it: a completion queue for each thread, and one request waiting on it.
void serve_with_queues(const std::string& address, std::uint32_t threads);
// gRPC's callback API, whose threads are its own.
void serve_with_callbacks(const std::string& address);

void announce(int port);
void wait_for_end_of_input();

struct Load {
  std::string address;
  std::uint32_t channels = 4;
  std::uint32_t outstanding = 25;  // calls of each channel, a closed loop
  std::uint32_t bytes = 100;
  std::chrono::milliseconds warm_up{500};
  std::chrono::milliseconds duration{3000};
};

struct LoadResult {
  std::uint64_t calls = 0;
  std::uint64_t failed = 0;
  double calls_per_second = 0;
  std::chrono::nanoseconds p50{0};
  std::chrono::nanoseconds p99{0};
};

LoadResult run(const Load& load);

}  // namespace weft::bench_grpc
