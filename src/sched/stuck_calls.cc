// SPDX-License-Identifier: Apache-2.0
// What a thread is stuck in, read from /proc and from its stack.
#include "sched/stuck_calls.h"

#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "os/system_call.h"
#include "os/task_file.h"

namespace weft::sched {

namespace {

using Address = std::uintptr_t;

// Copies memory of this process that may not be there. Answers whether all of
// it was.
bool copy_memory(Address from, void* to, std::size_t bytes) noexcept {
  const iovec local{to, bytes};
  const iovec remote{reinterpret_cast<void*>(from), bytes};
  const long copied =
      os::call(SYS_process_vm_readv, os::call(SYS_getpid), &local, 1, &remote, 1, 0);
  return copied == static_cast<long>(bytes);
}

// The length that `call` to what the byte behind the opcode FF says has; 0: it
// is no call. (x86_64)
std::size_t indirect_call_bytes(unsigned modrm) noexcept {
  constexpr unsigned call_opcode = 2, sib_follows = 4;
  const unsigned mode = modrm >> 6, opcode = modrm >> 3 & 7, base = modrm & 7;
  if (opcode != call_opcode) return 0;
  const std::size_t sib = mode != 3 && base == sib_follows ? 1 : 0;
  const bool relative_to_here = mode == 0 && base == 5;
  const std::size_t offset = mode == 1 ? 1 : mode == 2 || relative_to_here ? 4 : 0;
  return 2 + sib + offset;
}

constexpr std::size_t longest_call_bytes = 7;

// Whether the code that ends here ends with a call. (x86_64)
bool ends_with_call(const unsigned char (&code)[longest_call_bytes]) noexcept {
  constexpr std::size_t direct_call_bytes = 5;
  if (code[longest_call_bytes - direct_call_bytes] == 0xE8) return true;
  for (std::size_t bytes = 2; bytes <= longest_call_bytes; ++bytes) {
    const unsigned char* const start = code + longest_call_bytes - bytes;
    if (start[0] == 0xFF && indirect_call_bytes(start[1]) == bytes) return true;
  }
  return false;
}

// "NUMBER ARGUMENTS… SP PC", or "-1 SP PC": asleep outside of any call. Answers
// false for "running", and for no text.
struct Asleep {
  std::int64_t system_call = StuckCalls::no_system_call;
  Address stack_pointer = 0;
  Address program_counter = 0;
};

bool parse(std::string_view text, Asleep& asleep) noexcept {
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, asleep.system_call).ec != std::errc{}) return false;
  Address last_two[2] = {};
  for (std::size_t at = text.find("0x"); at != std::string_view::npos; at = text.find("0x", at)) {
    at += 2;
    last_two[0] = last_two[1];
    std::from_chars(text.data() + at, end, last_two[1], 16);
  }
  asleep.stack_pointer = last_two[0];
  asleep.program_counter = last_two[1];
  return true;
}

}  // namespace

void StuckCalls::record(std::uint32_t thread_id, const fiber::Fiber* fiber,
                        bool asleep_in_kernel) noexcept {
  Entry entry;
  entry.fiber_id = fiber == nullptr ? 0 : fiber->id;
  Asleep asleep;
  if (asleep_in_kernel) {
    char buffer[256];
    const std::string_view text = os::read_task_file(thread_id, "syscall", buffer);
    if (text.empty()) return count_one(unknown_);
    if (parse(text, asleep)) {
      entry.system_call = asleep.system_call;
      entry.program_counter = asleep.program_counter;
    }
  }
  find_frames(entry, asleep.stack_pointer, 1);
  if (count_known(entry)) return;
  if (asleep.stack_pointer != 0) {
    // Perhaps in code that was loaded since.
    read_executable_ranges();
    find_frames(entry, asleep.stack_pointer, most_frames);
    if (count_known(entry)) return;
  }
  const std::uint32_t site = sites_.load(std::memory_order_relaxed);
  if (site == most_sites) return count_one(unknown_);
  entries_[site] = entry;
  counts_[site].store(1, std::memory_order_relaxed);
  sites_.store(site + 1, std::memory_order_release);  // pairs with for_each()
}

bool StuckCalls::count_known(const Entry& entry) noexcept {
  const std::uint32_t sites = sites_.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < sites; ++i) {
    const Entry& known = entries_[i];
    if (known.system_call != entry.system_call || known.program_counter != entry.program_counter ||
        known.frames[0] != entry.frames[0]) {
      continue;
    }
    count_one(counts_[i]);
    return true;
  }
  return false;
}

void StuckCalls::count_one(atomic<std::uint64_t>& counter) noexcept {
  // There is one writer.
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void StuckCalls::find_frames(Entry& entry, Address stack_pointer, std::size_t wanted) noexcept {
  entry.frame_count = 0;
  std::fill(std::begin(entry.frames), std::end(entry.frames), 0);
  Address at = stack_pointer & ~(sizeof(Address) - 1);
  const Address end = at + most_stack_bytes;
  while (at != 0 && at < end && entry.frame_count < wanted) {
    const std::size_t bytes = page_bytes - at % page_bytes;
    if (!copy_memory(at, page_, bytes)) return;  // the end of the stack
    for (std::size_t i = 0; i < bytes / sizeof(Address) && entry.frame_count < wanted; ++i) {
      if (is_return_address(page_[i])) entry.frames[entry.frame_count++] = page_[i];
    }
    at += bytes;
  }
}

bool StuckCalls::is_return_address(Address address) const noexcept {
  const Range* const end = ranges_ + range_count_;
  const Range* const range =
      std::find_if(ranges_, end, [&](const Range& r) { return address < r.end; });
  if (range == end || address < range->begin + longest_call_bytes) return false;
  unsigned char code[longest_call_bytes];
  return copy_memory(address - longest_call_bytes, code, sizeof code) && ends_with_call(code);
}

// Lines are "BEGIN-END rwxp …", sorted; where there are too many executable
// ranges, the last ones are missed.
void StuckCalls::read_executable_ranges() noexcept {
  range_count_ = 0;
  os::RawFile file("/proc/self/maps");
  char buffer[page_bytes];
  std::size_t kept = 0;  // of a line that was cut
  for (;;) {
    const std::string_view more = file.read({buffer + kept, sizeof buffer - kept});
    if (more.empty()) return;
    std::string_view text{buffer, kept + more.size()};
    for (;;) {
      const std::size_t line_end = text.find('\n');
      if (line_end == std::string_view::npos) break;
      const char* const stop = text.data() + line_end;
      Address begin = 0, end = 0;
      const auto [dash, error] = std::from_chars(text.data(), stop, begin, 16);
      if (error == std::errc{} && dash != stop) {
        const auto [space, also] = std::from_chars(dash + 1, stop, end, 16);
        constexpr std::ptrdiff_t executable = 3;  // behind the space: "r-xp"
        if (also == std::errc{} && stop - space > executable && space[executable] == 'x') {
          add_range(begin, end);
        }
      }
      text.remove_prefix(line_end + 1);
    }
    // A line longer than the buffer is a path nobody has.
    kept = text.size() == sizeof buffer ? 0 : text.size();
    std::copy(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(kept), buffer);
  }
}

void StuckCalls::add_range(Address begin, Address end) noexcept {
  if (range_count_ != 0 && ranges_[range_count_ - 1].end == begin) {
    ranges_[range_count_ - 1].end = end;
  } else if (range_count_ < most_ranges) {
    ranges_[range_count_++] = {begin, end};
  }
}

const char* system_call_name(std::int64_t number) noexcept {
  struct Name {
    std::int64_t number;
    const char* text;
  };
  static constexpr Name names[] = {
#define WEFT_NAME(name) Name{SYS_##name, #name}
      WEFT_NAME(accept),
      WEFT_NAME(accept4),
      WEFT_NAME(clock_nanosleep),
      WEFT_NAME(close),
      WEFT_NAME(connect),
      WEFT_NAME(copy_file_range),
      WEFT_NAME(epoll_pwait),
      WEFT_NAME(epoll_pwait2),
      WEFT_NAME(epoll_wait),
      WEFT_NAME(fallocate),
      WEFT_NAME(fcntl),
      WEFT_NAME(fdatasync),
      WEFT_NAME(flock),
      WEFT_NAME(fstat),
      WEFT_NAME(fsync),
      WEFT_NAME(ftruncate),
      WEFT_NAME(futex),
      WEFT_NAME(getdents64),
      WEFT_NAME(getrandom),
      WEFT_NAME(io_getevents),
      WEFT_NAME(io_pgetevents),
      WEFT_NAME(io_submit),
      WEFT_NAME(io_uring_enter),
      WEFT_NAME(ioctl),
      WEFT_NAME(madvise),
      WEFT_NAME(mkdir),
      WEFT_NAME(mmap),
      WEFT_NAME(mprotect),
      WEFT_NAME(mq_timedreceive),
      WEFT_NAME(mq_timedsend),
      WEFT_NAME(msgrcv),
      WEFT_NAME(msgsnd),
      WEFT_NAME(msync),
      WEFT_NAME(munmap),
      WEFT_NAME(nanosleep),
      WEFT_NAME(newfstatat),
      WEFT_NAME(open),
      WEFT_NAME(openat),
      WEFT_NAME(pause),
      WEFT_NAME(poll),
      WEFT_NAME(ppoll),
      WEFT_NAME(pread64),
      WEFT_NAME(preadv),
      WEFT_NAME(preadv2),
      WEFT_NAME(pselect6),
      WEFT_NAME(pwrite64),
      WEFT_NAME(pwritev),
      WEFT_NAME(pwritev2),
      WEFT_NAME(read),
      WEFT_NAME(readv),
      WEFT_NAME(recvfrom),
      WEFT_NAME(recvmmsg),
      WEFT_NAME(recvmsg),
      WEFT_NAME(rename),
      WEFT_NAME(renameat2),
      WEFT_NAME(rt_sigsuspend),
      WEFT_NAME(rt_sigtimedwait),
      WEFT_NAME(sched_yield),
      WEFT_NAME(select),
      WEFT_NAME(semop),
      WEFT_NAME(semtimedop),
      WEFT_NAME(sendfile),
      WEFT_NAME(sendmmsg),
      WEFT_NAME(sendmsg),
      WEFT_NAME(sendto),
      WEFT_NAME(splice),
      WEFT_NAME(statx),
      WEFT_NAME(sync),
      WEFT_NAME(sync_file_range),
      WEFT_NAME(syncfs),
      WEFT_NAME(tee),
      WEFT_NAME(unlink),
      WEFT_NAME(unlinkat),
      WEFT_NAME(vfork),
      WEFT_NAME(vmsplice),
      WEFT_NAME(wait4),
      WEFT_NAME(waitid),
      WEFT_NAME(write),
      WEFT_NAME(writev),
#undef WEFT_NAME
  };
  const auto* const found = std::find_if(std::begin(names), std::end(names),
                                         [&](const Name& name) { return name.number == number; });
  return found == std::end(names) ? nullptr : found->text;
}

}  // namespace weft::sched
