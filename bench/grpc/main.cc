// SPDX-License-Identifier: Apache-2.0
// weft-bench-grpc: one of the servers, or a load.
//
//   weft-bench-grpc weft|queues|unchecked-queues|pour ADDRESS THREADS
//   weft-bench-grpc callback ADDRESS
//   weft-bench-grpc check ADDRESS        asks once, whether it answers as it should
//   weft-bench-grpc load ADDRESS CHANNELS OUTSTANDING MILLISECONDS          prints one line of JSON
//   weft-bench-grpc readers ADDRESS CLIENTS BYTES_A_SECOND MILLISECONDS     the same
#include <absl/synchronization/mutex.h>
#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sides.h"

namespace weft::bench_grpc {
namespace {

constexpr const char* usage =
    "usage: weft-bench-grpc weft|queues|unchecked-queues|pour ADDRESS THREADS\n"
    "       weft-bench-grpc callback|check ADDRESS\n"
    "       weft-bench-grpc load ADDRESS CHANNELS OUTSTANDING MILLISECONDS\n"
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
  const LoadResult result = run(Load{.address = words[1],
                                     .channels = number_of(words[2]),
                                     .outstanding = number_of(words[3]),
                                     .duration = std::chrono::milliseconds(number_of(words[4]))});
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
  if (mode == "load" && words.size() == 5) return load(words);
  if (mode == "readers" && words.size() == 5) return readers(words);
  if (mode == "check" && words.size() == 2) return answers(words[1]) ? 0 : 1;
  if (mode == "weft" && words.size() == 3) {
    serve_with_weft(words[1], number_of(words[2]));
  } else if (mode == "queues" && words.size() == 3) {
    serve_with_queues(words[1], number_of(words[2]));
  } else if (mode == "unchecked-queues" && words.size() == 3) {
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
    serve_with_queues(words[1], number_of(words[2]));
  } else if (mode == "pour" && words.size() == 3) {
    pour_with_weft(words[1], number_of(words[2]));
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
  return bench::act_on({values + 1, values + count});
}
