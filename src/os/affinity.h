// SPDX-License-Identifier: Apache-2.0
// On how many CPUs may a process run, and how much memory does the machine have.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.h"

namespace weft::os {

// How many CPUs are in the affinity mask of a process (of its first thread). The mask may be of any
// size: the buffer grows from `first_guess_cpus` until the kernel takes it.
base::Result<unsigned> count_affinity(pid_t process, std::size_t first_guess_cpus = 1024);

// The machine's memory, asked without /proc.
std::optional<std::uint64_t> physical_memory_bytes();

}  // namespace weft::os
