// SPDX-License-Identifier: Apache-2.0
// Calls, functions and code ranges, by nothing but reads of memory. (x86_64)
#include "sched/stack_scan.h"

#include <elf.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "os/system_call.h"
#include "os/task_file.h"

namespace weft::sched {

namespace {

using Address = StackScan::Address;

// Copies memory of this process that may not be there. Answers whether all of it was.
bool copy_memory(Address from, void* to, std::size_t bytes) noexcept {
  const iovec local{to, bytes};
  const iovec remote{reinterpret_cast<void*>(from), bytes};
  const long copied =
      os::call(SYS_process_vm_readv, os::call(SYS_getpid), &local, 1, &remote, 1, 0);
  return copied == static_cast<long>(bytes);
}

template <class Value>
bool copy_memory(Address from, Value& to) noexcept {
  return copy_memory(from, &to, sizeof to);
}

// The 32-bit offset that stands there, from where the instruction ends.
Address relative(const unsigned char* offset, Address end) noexcept {
  std::int32_t value = 0;
  std::memcpy(&value, offset, sizeof value);
  return end + static_cast<Address>(static_cast<std::intptr_t>(value));
}

// The length that `call` to what the byte behind the opcode FF says has; 0: it is no call.
std::size_t indirect_call_bytes(unsigned modrm) noexcept {
  constexpr unsigned call_opcode = 2, sib_follows = 4;
  const unsigned mode = modrm >> 6, opcode = modrm >> 3 & 7, base = modrm & 7;
  if (opcode != call_opcode) return 0;
  const std::size_t sib = mode != 3 && base == sib_follows ? 1 : 0;
  const bool relative_to_here = mode == 0 && base == 5;
  const std::size_t offset = mode == 1 ? 1 : mode == 2 || relative_to_here ? 4 : 0;
  return 2 + sib + offset;
}

// What a call goes to in the end, where it goes to a stub that jumps through a table:
// [endbr64] [bnd] jmp *slot(%rip).
Address behind_stub(Address target) noexcept {
  constexpr unsigned char endbr64[] = {0xF3, 0x0F, 0x1E, 0xFA};
  constexpr std::size_t jump_bytes = 6;
  unsigned char code[sizeof endbr64 + 1 + jump_bytes] = {};
  if (!copy_memory(target, code)) return target;
  std::size_t at = std::memcmp(code, endbr64, sizeof endbr64) == 0 ? sizeof endbr64 : 0;
  if (code[at] == 0xF2) ++at;
  if (code[at] != 0xFF || code[at + 1] != 0x25) return target;
  Address final_target = 0;
  return copy_memory(relative(code + at + 2, target + at + jump_bytes), final_target) ? final_target
                                                                                      : target;
}

// The search table of a module: pairs of 32-bit offsets from its own begin, of which the first are
// where functions start, sorted.
struct SearchTable {
  Address begin = 0;  // 0: there is none that we understand
  std::uint32_t functions = 0;
  static constexpr std::size_t header_bytes = 12;
  static constexpr std::size_t entry_bytes = 8;

  Address function(std::uint32_t index) const noexcept {
    unsigned char offset[sizeof(std::int32_t)];
    const Address at = begin + header_bytes + index * entry_bytes;
    return copy_memory(at, offset) ? relative(offset, begin) : 0;
  }
};

SearchTable search_table_of(Address module) noexcept {
  Elf64_Ehdr header = {};
  constexpr std::size_t most_segments = 32;
  Elf64_Phdr segments[most_segments] = {};
  if (module == 0 || !copy_memory(module, header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phnum > most_segments ||
      !copy_memory(module + header.e_phoff, segments, header.e_phnum * sizeof(Elf64_Phdr))) {
    return {};
  }
  Address bias = module, table = 0;
  for (std::size_t i = header.e_phnum; i-- > 0;) {
    if (segments[i].p_type == PT_LOAD) bias = module - segments[i].p_vaddr + segments[i].p_offset;
    if (segments[i].p_type == PT_GNU_EH_FRAME) table = segments[i].p_vaddr;
  }
  struct {
    unsigned char version, pointer_encoding, count_encoding, table_encoding;
    std::int32_t frames;
    std::uint32_t count;
  } start;
  static_assert(sizeof start == SearchTable::header_bytes);
  constexpr unsigned char plain_32_bits = 0x03, offsets_from_begin = 0x3B;
  if (table == 0 || !copy_memory(bias + table, start) || start.version != 1 ||
      start.count_encoding != plain_32_bits || start.table_encoding != offsets_from_begin) {
    return {};
  }
  return {bias + table, start.count};
}

}  // namespace

const StackScan::Range* StackScan::range_of(Address address) const noexcept {
  const Range* const end = ranges_ + range_count_;
  const Range* const range =
      std::find_if(ranges_, end, [&](const Range& candidate) { return address < candidate.end; });
  return range == end || address < range->begin ? nullptr : range;
}

StackScan::Function StackScan::function_of(Address address) const noexcept {
  const Range* const range = range_of(address);
  if (range == nullptr) return {};
  const SearchTable table = search_table_of(range->module);
  if (table.begin == 0 || table.functions == 0) return {};
  std::uint32_t low = 0, high = table.functions;  // function(low) <= address < function(high)
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (table.function(middle) <= address ? low : high) = middle;
  }
  const Address begin = table.function(low);
  const Address end = high == table.functions ? range->end : table.function(high);
  return begin <= address ? Function{begin, end} : Function{};
}

// Any byte may begin an instruction: a wrong one has no offset that leads into the function.
bool StackScan::jumps_into(Address from, const Function& function) const noexcept {
  constexpr std::size_t most_code_bytes = 2048;
  unsigned char code[most_code_bytes];
  const Function jumper = function_of(from);
  if (jumper.begin != from || jumper.end <= jumper.begin) return false;
  const std::size_t bytes = std::min(jumper.end - jumper.begin, most_code_bytes);
  if (!copy_memory(from, code, bytes)) return false;
  for (std::size_t i = 0; i + 5 <= bytes; ++i) {
    const bool jump = code[i] == 0xE9 || (i > 0 && code[i - 1] == 0x0F && code[i] >> 4 == 8);
    if (!jump) continue;
    const Address target = relative(code + i + 1, from + i + 5);
    if (target >= function.begin && target < function.end) return true;
  }
  return false;
}

bool StackScan::is_behind_call(Address address, Address& target) const noexcept {
  constexpr std::size_t longest_call_bytes = 7, direct_call_bytes = 5, through_slot_bytes = 6;
  unsigned char code[longest_call_bytes];
  if (!copy_memory(address - longest_call_bytes, code)) return false;
  const unsigned char* const end = code + longest_call_bytes;
  if (end[-static_cast<int>(direct_call_bytes)] == 0xE8) {
    target = relative(end - sizeof(std::int32_t), address);
    if (range_of(target) != nullptr) {
      target = behind_stub(target);
      return true;
    }
  }
  for (std::size_t bytes = 2; bytes <= longest_call_bytes; ++bytes) {
    const unsigned char* const start = end - bytes;
    if (start[0] != 0xFF || indirect_call_bytes(start[1]) != bytes) continue;
    target = 0;
    const bool through_slot = bytes == through_slot_bytes && start[1] == 0x15;
    if (through_slot && !copy_memory(relative(start + 2, address), target)) target = 0;
    return true;
  }
  return false;
}

void StackScan::collect(Address stack_pointer) noexcept {
  candidate_count_ = 0;
  Address at = stack_pointer & ~(sizeof(Address) - 1);
  const Address end = at + most_stack_bytes;
  while (at != 0 && at < end) {
    const std::size_t bytes = page_bytes - at % page_bytes;
    if (!copy_memory(at, page_, bytes)) return;  // the end of the stack
    for (std::size_t i = 0; i < bytes / sizeof(Address); ++i) {
      if (candidate_count_ == most_candidates) return;
      Candidate& candidate = candidates_[candidate_count_];
      candidate = {page_[i], 0};
      if (range_of(page_[i]) != nullptr && is_behind_call(page_[i], candidate.target)) {
        ++candidate_count_;
      }
    }
    at += bytes;
  }
}

std::size_t StackScan::caller_of(const Function& function, std::size_t first) const noexcept {
  const Candidate* const begin = candidates_ + std::min(first, candidate_count_);
  const Candidate* const end = candidates_ + candidate_count_;
  const auto index = [&](const Candidate* found) {
    return static_cast<std::size_t>(found - candidates_);
  };
  if (function.begin == 0) return index(begin);
  const auto calls = [](Address target) {
    return [target](const Candidate& candidate) { return candidate.target == target; };
  };
  const Candidate* found = std::find_if(begin, end, calls(function.begin));
  if (found == end) {
    found = std::find_if(begin, end, [&](const Candidate& candidate) {
      return candidate.target != 0 && jumps_into(candidate.target, function);
    });
  }
  if (found == end) found = std::find_if(begin, end, calls(0));
  return index(found == end ? begin : found);
}

std::uint32_t StackScan::find(Address program_counter, Address stack_pointer,
                              std::span<Address> frames) noexcept {
  if (range_count_ == 0) read_code_ranges();
  collect(stack_pointer);
  std::uint32_t count = 0;
  Address inside = program_counter;
  for (std::size_t next = 0; count < frames.size(); ++next) {
    next = caller_of(function_of(inside), next);
    if (next == candidate_count_) break;
    frames[count++] = candidates_[next].return_address;
    inside = candidates_[next].return_address - 1;
  }
  return count;
}

// Lines are "BEGIN-END rwxp OFFSET DEVICE INODE PATH", sorted. The first of a module holds its ELF
// header. Where there are too many executable ranges, the last ones are missed.
void StackScan::read_code_ranges() noexcept {
  range_count_ = 0;
  os::RawFile file("/proc/self/maps");
  char buffer[page_bytes];
  std::size_t kept = 0;  // of a line that was cut
  Address module = 0;
  for (;;) {
    const std::string_view more = file.read({buffer + kept, sizeof buffer - kept});
    if (more.empty()) return;
    std::string_view text{buffer, kept + more.size()};
    for (std::size_t line_end = 0; (line_end = text.find('\n')) != std::string_view::npos;) {
      const char* const stop = text.data() + line_end;
      Address begin = 0, end = 0, offset = 0;
      const char* const dash = std::from_chars(text.data(), stop, begin, 16).ptr;
      const char* const space = std::from_chars(std::min(dash + 1, stop), stop, end, 16).ptr;
      constexpr std::ptrdiff_t executable = 3, offset_at = 6;  // " r-xp 00001000"
      if (stop - space > offset_at) {
        std::from_chars(space + offset_at, stop, offset, 16);
        if (offset == 0) module = begin;
        if (space[executable] == 'x' && range_count_ < most_ranges) {
          ranges_[range_count_++] = {begin, end, module};
        }
      }
      text.remove_prefix(line_end + 1);
    }
    // A line longer than the buffer is a path nobody has.
    kept = text.size() == sizeof buffer ? 0 : text.size();
    std::memmove(buffer, text.data(), kept);
  }
}

}  // namespace weft::sched
