// SPDX-License-Identifier: Apache-2.0
// Machine: what weft needs of the machine, read in one place and judged in another.
//
// read_machine() asks the kernel and judges nothing; judge() is pure, so that machines nobody has
// can be judged in a test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspect/finding.h"

namespace weft::inspect {

// A limit, and who says so.
struct Limit {
  std::string where;
  std::uint64_t value = 0;
};

struct Machine {
  std::string kernel_release;              // "6.1.0-18-amd64"
  std::string architecture;                // "x86_64"
  bool fsgsbase = false;                   // the thread pointer can be set without the kernel
  std::string glibc_version;               // "2.36"; empty: another libc
  int io_uring_error = 0;                  // errno of io_uring_setup; 0: it works
  std::optional<int> io_uring_disabled{};  // /proc/sys/kernel/io_uring_disabled
  int epoll_error = 0;
  int read_own_memory_error = 0;  // process_vm_readv of ourselves: how stuck calls get their line
  std::optional<int> ptrace_scope{};  // Yama's
  int shared_memory_error = 0;        // making a file in /dev/shm
  bool shadow_stack = false;          // CET, for this process
  std::optional<Limit> open_files{};  // soft
  std::optional<Limit> open_files_hard{};
  std::vector<Limit> threads{};  // every limit on how many there can be
  std::optional<Limit> mappings{};
  std::string container;  // what says that this is one, or that nothing does
  double budget_cores = 0;
  unsigned budget_threads = 0;
  std::string budget_source;
};

Machine read_machine();

std::vector<Finding> judge(const Machine& machine);

}  // namespace weft::inspect
