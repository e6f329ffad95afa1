// SPDX-License-Identifier: Apache-2.0
// Work that needs nothing but a CPU, and as much of it as is asked for.
#pragma once

#include <chrono>
#include <cstdint>

namespace weft::demo {

// Computes. The same number of iterations is the same work, whoever does it and wherever.
void compute(std::uint64_t iterations) noexcept;

// How many iterations take `target` of CPU time on this machine: measured in the CPU time of the
// calling thread, the fastest of several tries, so that neighbours on the host matter little.
std::uint64_t calibrate(std::chrono::microseconds target);

}  // namespace weft::demo
