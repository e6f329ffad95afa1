// SPDX-License-Identifier: Apache-2.0
// What a thread is stuck in, read from /proc and from its stack.
#include "sched/stuck_calls.h"

#include <sys/syscall.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "os/task_file.h"

namespace weft::sched {

namespace {

using Address = StackScan::Address;

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
  entry.fiber_id = fiber == nullptr ? 0 : fiber->id.load(std::memory_order_relaxed);
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
    scan_.read_code_ranges();
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

void StuckCalls::find_frames(Entry& entry, Address stack_pointer, std::size_t most) noexcept {
  std::fill(std::begin(entry.frames), std::end(entry.frames), 0);
  entry.frame_count = stack_pointer == 0
                          ? 0
                          : scan_.find(entry.program_counter, stack_pointer, {entry.frames, most});
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
