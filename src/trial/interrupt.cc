// SPDX-License-Identifier: Apache-2.0
// Programs that run others and are interrupted.
#include "trial/interrupt.h"

#include <cstdio>
#include <exception>

#include "bench/interrupt.h"

namespace weft::trial {
namespace {

void complain(const char* program, const char* message) noexcept {
  std::fprintf(stderr, "%s: %s\n", program, message);
}

}  // namespace

sandbox::RunOptions interruptible(std::chrono::milliseconds timeout) {
  sandbox::RunOptions options;
  options.timeout = timeout;
  options.stop = []() noexcept { return bench::InterruptGuard::signal() != 0; };
  return options;
}

int exit_code_for(const std::string& program, const base::Status& status) {
  if (status) return 0;
  complain(program.c_str(), status.error().message.c_str());
  const int signal = bench::InterruptGuard::signal();
  return signal != 0 ? 128 + signal : 1;
}

int run_main(const char* program, const std::function<int()>& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    complain(program, error.what());
    return 1;
  }
}

}  // namespace weft::trial
