// SPDX-License-Identifier: Apache-2.0
// Where and how the servers are measured.
#pragma once

#include <sys/resource.h>

#include <string>
#include <vector>

#include "trial.h"

namespace weft::demo {

struct Settings {
  std::string weft_program;
  std::string server_program;
  std::string directory;  // for sockets, data and logs; gone at the end
  int server_cpu = 0;
  int client_cpu = 0;
  unsigned connections = 64;
  double seconds = 3;  // of one run
};

inline const char* name_of(Side side) {
  return side == Side::native ? "native" : "weft";
}

// The words before a program that is started on this side.
inline std::vector<std::string> launcher_of(const Settings& settings, Side side) {
  if (side == Side::native) return {};
  return {settings.weft_program, "run", "--"};
}

// The words that start a program on this side.
inline std::vector<std::string> start_words(const Settings& settings, Side side,
                                            const std::vector<std::string>& program) {
  std::vector<std::string> words = launcher_of(settings, side);
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

// CPU time of `who`: RUSAGE_SELF, or RUSAGE_CHILDREN for those that have been waited for.
inline double cpu_seconds_of(int who) {
  rusage usage{};
  ::getrusage(static_cast<__rusage_who_t>(who), &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace weft::demo
