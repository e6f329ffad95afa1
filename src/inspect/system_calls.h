// SPDX-License-Identifier: Apache-2.0
// System calls that code makes by itself, without libc: weft does not see them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspect/elf.h"

namespace weft::inspect {

struct SystemCallSite {
  std::uint64_t address = 0;
  std::optional<long> number = {};  // of the call, where it is a constant that stands nearby
  std::string function = {};        // the nearest name before it; empty: none
  bool inside = false;              // within what that name says is its size

  // Neither a number nor a function: constants in the midst of code look like this, too.
  bool doubtful() const noexcept { return !number && !inside; }
};

// Every `syscall` instruction in the file's code, by address. Found by stepping through it, not by
// the two bytes, which occur within other instructions as well.
std::vector<SystemCallSite> find_system_calls(const Elf& elf);

// "futex", "io_uring_enter"; "system call 186" for those that nobody waits in.
std::string system_call_name(long number);

// Whether a thread may wait in it, and so hold up the worker that runs it. Where the number is not
// known, it may.
bool may_wait(const SystemCallSite& site) noexcept;

}  // namespace weft::inspect
