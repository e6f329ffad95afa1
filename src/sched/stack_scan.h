// SPDX-License-Identifier: Apache-2.0
// StackScan: who called whom, read off the stack of another thread of this process.
//
// Of a thread that sleeps in the kernel only the stack and program counters are known, and its
// stack may change at any moment. So it is copied by process_vm_readv(), which answers an error
// where a read of our own would fault, and looked at from its top for words that point right behind
// a call instruction. Those are many: what functions that have returned left behind is among them.
// Which ones are the thread's is decided from the innermost frame on:
//   - the next is the first whose call goes to the very function that we are in;
//   - else the first whose call goes to a function that jumps to where we are: a tail call, or
//     another piece of the same function;
//   - else the first whose call goes through a pointer, and may;
//   - else the first.
// Where functions begin stands in the search table of each module (.eh_frame_hdr).
//
// Rejected: unwinding by the tables. It needs registers that only ptrace tells of another thread,
// and to find the tables in the usual way takes the loader's lock, which the thread may hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::sched {

class StackScan {
 public:
  using Address = std::uintptr_t;

  // Learns which memory is code; to be called again when code may have been loaded since.
  void read_code_ranges() noexcept;

  // Finds return addresses, the innermost first, for a thread with these registers. Answers how
  // many there are.
  std::uint32_t find(Address program_counter, Address stack_pointer,
                     std::span<Address> frames) noexcept;

 private:
  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::size_t most_stack_bytes = 8 * page_bytes;
  static constexpr std::size_t most_ranges = 256;
  static constexpr std::size_t most_candidates = 512;

  struct Range {
    Address begin = 0;
    Address end = 0;
    Address module = 0;  // where the ELF header of its file is, if it is one
  };
  struct Function {
    Address begin = 0;  // 0: not known
    Address end = 0;
  };
  struct Candidate {
    Address return_address = 0;
    Address target = 0;  // of the call; 0: not known
  };

  const Range* range_of(Address address) const noexcept;
  Function function_of(Address address) const noexcept;
  bool jumps_into(Address from, const Function& function) const noexcept;
  // Whether a call ends there, and where it goes.
  bool is_behind_call(Address address, Address& target) const noexcept;
  void collect(Address stack_pointer) noexcept;
  // Which one called the function, of those from `first` on; candidate_count_: none.
  std::size_t caller_of(const Function& function, std::size_t first) const noexcept;

  Range ranges_[most_ranges];
  std::size_t range_count_ = 0;
  Candidate candidates_[most_candidates];  // in the order of the stack, the innermost first
  std::size_t candidate_count_ = 0;
  Address page_[page_bytes / sizeof(Address)] = {};  // of the stack, as it is looked at
};

}  // namespace weft::sched
