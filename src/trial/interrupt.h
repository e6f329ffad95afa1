// SPDX-License-Identifier: Apache-2.0
// Programs that run others and are interrupted: what they leave to run, and what main answers.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/result.h"
#include "sandbox/run.h"

namespace weft::trial {

// For sandbox::run(): the program is killed at the timeout, or when a signal has come to us while a
// bench::InterruptGuard lives.
sandbox::RunOptions interruptible(std::chrono::milliseconds timeout);

// The exit code for how it ended: 0, or 128 + the signal that came to a bench::InterruptGuard, or
// 1. An Error is told on standard error, behind the program's name.
int exit_code_for(const std::string& program, const base::Status& status);

// What main answers: what `body` does, or 1 after an exception, which is told in the same way.
int run_main(const char* program, const std::function<int()>& body) noexcept;

}  // namespace weft::trial
