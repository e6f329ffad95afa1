// SPDX-License-Identifier: Apache-2.0
// weft-bench-engine: measures one thing once and prints its numbers as JSON, for `weft bench
// engine`.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "measurement.h"

namespace weft::engine {
namespace {

constexpr const char* usage =
    "weft-bench-engine --list           the names of all measurements\n"
    "weft-bench-engine NAME [--quick]   measures one, and prints its numbers as JSON\n"
    "weft bench engine shows them beside each other, which is what they are for.\n";

Measurements all_measurements() {
  Measurements all;
  for (const auto part :
       {switch_measurements, lock_measurements, contention_measurements, ping_pong_measurements,
        thread_measurements, memory_measurements, cpu_measurements, burst_measurements,
        echo_measurements, stuck_measurements, boost_measurements}) {
    for (Measurement& measurement : part()) all.push_back(std::move(measurement));
  }
  return all;
}

void print(const Numbers& numbers) {
  const char* separator = "{";
  for (const auto& [name, number] : numbers) {
    std::printf("%s\"%s\": %.17g", separator, name, number);
    separator = ", ";
  }
  std::printf("}\n");
}

int run(int count, char** arguments) {
  const std::string_view name = count > 1 ? arguments[1] : "";
  const bool quick = count == 3 && std::string_view(arguments[2]) == "--quick";
  if (count < 2 || count > (quick ? 3 : 2)) {
    std::fputs(usage, stderr);
    return 2;
  }
  for (const Measurement& measurement : all_measurements()) {
    if (name == "--list") {
      std::printf("%s\n", measurement.name.c_str());
    } else if (name == measurement.name) {
      print(measurement.run({.quick = quick}));
      return 0;
    }
  }
  if (name == "--list") return 0;
  std::fprintf(stderr, "weft-bench-engine: there is no measurement '%s'\n%s", arguments[1], usage);
  return 2;
}

}  // namespace

void require(bool holds, const char* what) {
  if (holds) return;
  const int error = errno;
  std::fprintf(stderr, "weft-bench-engine: does not hold: %s%s%s\n", what,
               error != 0 ? "; errno: " : "", error != 0 ? std::strerror(error) : "");
  std::_Exit(1);
}

}  // namespace weft::engine

int main(int count, char** arguments) {
  return weft::engine::run(count, arguments);
}
