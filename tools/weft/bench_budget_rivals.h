// SPDX-License-Identifier: Apache-2.0
// Other people's answers to "how many CPUs do I own": each a command that prints one number.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bench/benchmark.h"
#include "bench/rivals.h"
#include "sandbox/run.h"

namespace weft::tool {

struct Rival {
  std::string name;
  std::string version;               // as it says itself
  std::vector<std::string> command;  // prints one number
};

struct Rivals {
  std::vector<Rival> ready;
  std::vector<std::string> missing;  // not installed
};

// Finds them all, and compiles what must be compiled into `directory`. One that is not installed is
// an Error, unless `allow_missing`.
base::Result<Rivals> prepare_rivals(const bench::TemporaryDirectory& directory, bool allow_missing,
                                    bench::Progress& progress);

// What a rival answers, run as `options` say.
base::Result<double> ask(const Rival& rival, const sandbox::RunOptions& options);

// Runs a command that must succeed; the Error quotes what it complained about.
base::Result<std::string> output_of(const std::vector<std::string>& command,
                                    const sandbox::RunOptions& options);

// Takes out of our environment what would answer in place of the machine, for us and the rivals.
void forget_overrides();

}  // namespace weft::tool
