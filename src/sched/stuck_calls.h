// SPDX-License-Identifier: Apache-2.0
// StuckCalls: where kernel threads of the scheduler got stuck, each place once, with its stack and
// how often.
//
// The monitor calls record() for a carrier that has made no switch for a while. What the thread is
// doing is read from outside: the kernel tells the system call, stack and program counter in
// /proc, and the stack is copied by process_vm_readv(), which answers an error where a read of our
// own would fault. No signal, no ptrace: the thread does not notice.
//
// The frames are found by looking at the stack from its top for words that point right behind a
// call instruction. That needs no unwind tables, whose use takes the loader's lock; in exchange, a
// word that a function which has returned left behind may stand among them.
//
// A place is the system call, the program counter and the innermost return address. Executable
// mappings are read from /proc only for a place that is not known yet.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.h"
#include "fiber/fiber.h"

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
  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::size_t most_stack_bytes = 8 * page_bytes;
  static constexpr std::size_t most_ranges = 256;

  struct Range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
  };

  void read_executable_ranges() noexcept;
  void add_range(std::uintptr_t begin, std::uintptr_t end) noexcept;
  bool is_return_address(std::uintptr_t address) const noexcept;
  void find_frames(Entry& entry, std::uintptr_t stack_pointer, std::size_t wanted) noexcept;
  // Counts the entry's place if it is known.
  bool count_known(const Entry& entry) noexcept;
  void count_one(atomic<std::uint64_t>& counter) noexcept;

  // Owned by the monitor.
  Range ranges_[most_ranges];
  std::size_t range_count_ = 0;
  std::uintptr_t page_[page_bytes / sizeof(std::uintptr_t)] = {};  // of a stack, as it is looked at

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
