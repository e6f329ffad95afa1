// SPDX-License-Identifier: Apache-2.0
// On how many CPUs may a process run, and how much memory does the machine have.
#include "os/affinity.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <string>
#include <vector>

#include "os/file.h"

namespace weft::os {

base::Result<unsigned> count_affinity(pid_t process, std::size_t first_guess_cpus) {
  constexpr std::size_t most_words = (std::size_t{1} << 20) / 64;
  // The system call itself, because glibc's wrapper fills in zeros for CPUs the kernel left out,
  // and its fixed cpu_set_t ends at 1024.
  std::size_t words = std::max<std::size_t>(1, first_guess_cpus / 64);
  while (true) {
    std::vector<unsigned long> mask(words);
    const long bytes = syscall(SYS_sched_getaffinity, process, words * sizeof(long), mask.data());
    if (bytes >= 0) {
      unsigned count = 0;
      for (const unsigned long word : mask) count += static_cast<unsigned>(std::popcount(word));
      return count;
    }
    if (errno != EINVAL || words >= most_words) {
      return last_error("ask sched_getaffinity about", "process " + std::to_string(process));
    }
    words *= 2;
  }
}

std::optional<std::uint64_t> physical_memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

}  // namespace weft::os
