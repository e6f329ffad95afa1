// SPDX-License-Identifier: Apache-2.0
// StuckCalls: where kernel threads of the scheduler got stuck, each place once, with its stack and
// how often.
//
// The monitor calls record() for a carrier that has made no switch for a while. What the thread is
// doing is read from outside: the kernel tells the system call, stack and program counter in /proc,
// and the frames are found on the stack (see stack_scan.h). No signal, no ptrace: the thread does
// not notice.
//
// A place is the system call, the program counter and the innermost return address.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.h"
#include "fiber/fiber.h"
#include "sched/stack_scan.h"

namespace weft::sched {

class StuckCalls {
 public:
  static constexpr std::size_t most_sites = 64;
  static constexpr std::size_t most_frames = 16;
  static constexpr std::int64_t no_system_call = -1;

  struct Entry {
    // no_system_call: the thread runs, without a switch (program_counter is 0), or waits for a
    // page of its memory (program_counter says where).
    std::int64_t system_call = no_system_call;
    std::uintptr_t program_counter = 0;
    std::uintptr_t frames[most_frames] = {};  // return addresses, the innermost first
    std::uint32_t frame_count = 0;
    std::uint32_t fiber_id = 0;  // of the fiber that was seen there first; 0: none
    std::uint64_t count = 0;
  };

  // Called by one thread, the monitor. `fiber` is what the thread runs, or nullptr.
  // `asleep_in_kernel` false: the thread is known to run, and nobody is asked.
  void record(std::uint32_t thread_id, const fiber::Fiber* fiber, bool asleep_in_kernel) noexcept;

  // For anybody: calls the function with a copy of each entry, oldest first.
  template <class Function>
  void for_each(Function function) const {
    // Acquires the entries that record() released.
    const std::uint32_t sites = sites_.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < sites; ++i) {
      Entry entry = entries_[i];
      entry.count = counts_[i].load(std::memory_order_relaxed);
      function(entry);
    }
  }

  // How often there was no room for another place, or the kernel would not tell.
  std::uint64_t unknown() const noexcept { return unknown_.load(std::memory_order_relaxed); }

 private:
  void find_frames(Entry& entry, std::uintptr_t stack_pointer, std::size_t most) noexcept;
  // Counts the entry's place if it is known.
  bool count_known(const Entry& entry) noexcept;
  void count_one(atomic<std::uint64_t>& counter) noexcept;

  StackScan scan_;  // owned by the monitor

  // Entries below sites_ are constant; each but its count, which is in counts_.
  Entry entries_[most_sites];
  atomic<std::uint64_t> counts_[most_sites] = {};
  atomic<std::uint32_t> sites_{0};
  atomic<std::uint64_t> unknown_{0};
};

// The name of a system call that is known to block, as in section 2 of the manual; nullptr: of any
// other.
const char* system_call_name(std::int64_t number) noexcept;

}  // namespace weft::sched
