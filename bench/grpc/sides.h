// SPDX-License-Identifier: Apache-2.0
// The servers that are compared, and the loads. Each is a process of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "load/schedule.h"

namespace weft::bench_grpc {

// The transport of weft's server.
enum class Carried : std::uint8_t { by_weft, by_grpc };

// Each says "listening on PORT", and serves until SIGTERM.
void serve_with_weft(const std::string& address, std::uint32_t threads, Carried by);
// As gRPC's own example has it: a completion queue for each thread, and one request waiting on it.
void serve_with_queues(const std::string& address, std::uint32_t threads);
// gRPC's callback API, whose threads are its own.
void serve_with_callbacks(const std::string& address);
// weft's, of streams without an end.
void pour_with_weft(const std::string& address, std::uint32_t threads, Carried by);

void announce(int port);
void wait_for_the_end();

struct Load {
  std::string address;
  std::uint32_t channels = 4;
  std::uint32_t outstanding = 25;  // calls of each channel, a closed loop
  std::string text = std::string(100, 'x');
  std::chrono::milliseconds warm_up{1000};
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
// Asks once; says on standard error what is wrong with the answer.
bool answers(const std::string& address);

// Calls that begin when they should, whoever is answered.
struct OpenLoad {
  std::string address;
  std::string text;
  std::string samples;  // a file, written as `weft load --samples` writes it
  std::uint64_t seed = 1;
  std::vector<load::Segment> segments;
};

struct OpenLoadResult {
  std::uint64_t calls = 0;
  std::uint64_t good = 0;
  std::uint64_t refused = 0;
  std::vector<std::string> void_because;  // as `weft load` says it of itself
};

// Throws std::runtime_error, for people.
OpenLoadResult run(const OpenLoad& load);

// Clients with a connection each, who read no more than so much a second.
struct Readers {
  std::string address;
  std::uint32_t clients = 100;
  std::uint32_t bytes_per_second = 1'000'000;  // of each
  std::uint32_t message_bytes = 16'384;
  std::chrono::milliseconds duration{10'000};
};

struct ReadersResult {
  std::uint64_t failed = 0;       // streams that ended by themselves
  double bytes_per_second = 0;    // of all
  double slowest_per_second = 0;  // of the one that got least
};

ReadersResult run(const Readers& readers);

}  // namespace weft::bench_grpc
