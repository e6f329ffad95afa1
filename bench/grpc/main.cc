// SPDX-License-Identifier: Apache-2.0
// weft-bench-grpc: one of the servers, or a load.
//
//   weft-bench-grpc own|weft|queues|unchecked-queues|own-pour|pour ADDRESS THREADS
//                                        own: weft's server on its own transport; weft: on gRPC's
//   weft-bench-grpc callback ADDRESS
//   weft-bench-grpc check ADDRESS        asks once, whether it answers as it should
//   weft-bench-grpc load ADDRESS CHANNELS OUTSTANDING MILLISECONDS [TEXT]   prints one line of JSON
//   weft-bench-grpc open ADDRESS TEXT SEED SAMPLES RATE:MILLISECONDS...     the same; what has the
//                                                                           highest rate is a burst
//   weft-bench-grpc readers ADDRESS CLIENTS BYTES_A_SECOND MILLISECONDS     the same
#include <absl/synchronization/mutex.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "sides.h"

namespace weft::bench_grpc {
namespace {

constexpr const char* usage =
    "usage: weft-bench-grpc own|weft|queues|unchecked-queues|own-pour|pour ADDRESS THREADS\n"
    "       weft-bench-grpc callback|check ADDRESS\n"
    "       weft-bench-grpc load ADDRESS CHANNELS OUTSTANDING MILLISECONDS [TEXT]\n"
    "       weft-bench-grpc open ADDRESS TEXT SEED SAMPLES RATE:MILLISECONDS...\n"
    "       weft-bench-grpc readers ADDRESS CLIENTS BYTES_A_SECOND MILLISECONDS\n";
constexpr int exit_usage = 2;

using Words = std::vector<std::string>;

sigset_t ending_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  return signals;
}

std::uint32_t number_of(const std::string& text) {
  return static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
}

int load(const Words& words) {
  Load load{.address = words[1],
            .channels = number_of(words[2]),
            .outstanding = number_of(words[3]),
            .duration = std::chrono::milliseconds(number_of(words[4]))};
  if (words.size() == 6) load.text = words[5];
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

load::Segment segment_of(const std::string& text) {
  load::Segment segment;
  char* end = nullptr;
  segment.rate_at_begin = segment.rate_at_end = std::strtod(text.c_str(), &end);
  segment.length = std::chrono::milliseconds(*end == ':' ? number_of(end + 1) : 0);
  return segment;
}

int open(const Words& words) {
  OpenLoad load{.address = words[1],
                .text = words[2],
                .samples = words[4],
                .seed = number_of(words[3]),
                .segments = {}};
  double highest = 0;
  for (std::size_t i = 5; i < words.size(); ++i) {
    load.segments.push_back(segment_of(words[i]));
    highest = std::max(highest, load.segments.back().rate_at_begin);
  }
  for (load::Segment& segment : load.segments) {
    if (segment.rate_at_begin == highest) segment.kind = load::PhaseKind::burst;
  }
  const OpenLoadResult result = run(load);
  std::printf("{\"calls\": %llu, \"good\": %llu, \"refused\": %llu, \"void_because\": \"%s\"}\n",
              static_cast<unsigned long long>(result.calls),
              static_cast<unsigned long long>(result.good),
              static_cast<unsigned long long>(result.refused),
              result.void_because.empty() ? "" : result.void_because.front().c_str());
  return 0;
}

int readers(const Words& words) {
  const ReadersResult result =
      run(Readers{.address = words[1],
                  .clients = number_of(words[2]),
                  .bytes_per_second = number_of(words[3]),
                  .duration = std::chrono::milliseconds(number_of(words[4]))});
  std::printf("{\"bytes_per_second\": %.0f, \"slowest_per_second\": %.0f, \"failed\": %llu}\n",
              result.bytes_per_second, result.slowest_per_second,
              static_cast<unsigned long long>(result.failed));
  return result.failed == 0 ? 0 : 1;
}

int act_on(const Words& words) {
  const std::string mode = words.empty() ? "" : words[0];
  if (mode == "load" && (words.size() == 5 || words.size() == 6)) return load(words);
  if (mode == "open" && words.size() > 5) return open(words);
  if (mode == "readers" && words.size() == 5) return readers(words);
  if (mode == "check" && words.size() == 2) return answers(words[1]) ? 0 : 1;
  if (mode == "own" && words.size() == 3) {
    serve_with_weft(words[1], number_of(words[2]), Carried::by_weft);
  } else if (mode == "weft" && words.size() == 3) {
    serve_with_weft(words[1], number_of(words[2]), Carried::by_grpc);
  } else if (mode == "queues" && words.size() == 3) {
    serve_with_queues(words[1], number_of(words[2]));
  } else if (mode == "unchecked-queues" && words.size() == 3) {
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
    serve_with_queues(words[1], number_of(words[2]));
  } else if (mode == "own-pour" && words.size() == 3) {
    pour_with_weft(words[1], number_of(words[2]), Carried::by_weft);
  } else if (mode == "pour" && words.size() == 3) {
    pour_with_weft(words[1], number_of(words[2]), Carried::by_grpc);
  } else if (mode == "callback" && words.size() == 2) {
    serve_with_callbacks(words[1]);
  } else {
    std::fputs(usage, stderr);
    return exit_usage;
  }
  return 0;
}

}  // namespace

void announce(int port) {
  std::printf("listening on %d\n", port);
  std::fflush(stdout);
}

void wait_for_the_end() {
  const sigset_t signals = ending_signals();
  int signal = 0;
  ::sigwait(&signals, &signal);
}

}  // namespace weft::bench_grpc

int main(int count, char** values) {
  namespace bench = weft::bench_grpc;
  const sigset_t signals = bench::ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // of all threads, before there are any
  try {
    return bench::act_on({values + 1, values + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weft-bench-grpc: %s\n", error.what());
    return 1;
  }
}
