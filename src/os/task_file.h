// SPDX-License-Identifier: Apache-2.0
// What the kernel tells about this process and its threads in /proc, read by the engine's own
// calls: no libc, no allocation, no lock.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <span>
#include <string_view>

#include "os/system_call.h"

namespace weft::os {

// A file that is read from front to back.
class RawFile {
 public:
  explicit RawFile(const char* path) noexcept
      : descriptor_(call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC)) {}
  ~RawFile() {
    if (descriptor_ >= 0) call(SYS_close, descriptor_);
  }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  // The next piece; empty: the end, or an error.
  std::string_view read(std::span<char> buffer) noexcept {
    if (descriptor_ < 0) return {};
    const long count = call(SYS_read, descriptor_, buffer.data(), buffer.size());
    return {buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
  }

 private:
  long descriptor_;
};

// The first piece of /proc/self/task/THREAD/NAME. Empty: there is no such thread, or no /proc.
inline std::string_view read_task_file(std::uint32_t thread_id, std::string_view name,
                                       std::span<char> buffer) noexcept {
  constexpr std::string_view folder = "/proc/self/task/";
  constexpr std::size_t longest_name = 16;
  constexpr std::size_t longest_number = 10;
  char path[folder.size() + longest_number + 1 + longest_name + 1] = {};
  if (name.size() > longest_name) return {};
  std::memcpy(path, folder.data(), folder.size());
  char* const number = path + folder.size();
  char* end = std::to_chars(number, number + longest_number, thread_id).ptr;
  *end++ = '/';
  std::memcpy(end, name.data(), name.size());
  RawFile file(path);
  return file.read(buffer);
}

// The CPU time that a thread of this process has used. None: there is no such thread.
inline std::chrono::nanoseconds cpu_time_of(std::uint32_t thread_id) noexcept {
  // As pthread_getcpuclockid() makes it.
  constexpr int scheduled_time_of_a_thread = 6;
  const int clock = static_cast<int>(~thread_id << 3 | scheduled_time_of_a_thread);
  timespec time{};
  call(SYS_clock_gettime, clock, &time);
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

// Whether the thread waits in the kernel, for whatever it may be. False also for one that is gone.
inline bool is_asleep(std::uint32_t thread_id) noexcept {
  char buffer[128];
  const std::string_view stat = read_task_file(thread_id, "stat", buffer);
  // The state stands behind the name, which may hold anything.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return false;
  const char state = stat[name_end + 2];
  return state == 'S' || state == 'D';
}

// When the process or thread began, in clock ticks since the machine did: field 22 of a `stat`
// file. Its second field is a name that may hold anything, parentheses too. 0: no such text.
inline std::uint64_t start_time_ticks(std::string_view stat) noexcept {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return 0;
  std::size_t position = name_end + 1;
  for (int field = 3; field <= 22; ++field) {
    position = stat.find(' ', position);
    if (position == std::string_view::npos) return 0;
    ++position;
  }
  std::uint64_t ticks = 0;
  std::from_chars(stat.data() + position, stat.data() + stat.size(), ticks);
  return ticks;
}

}  // namespace weft::os
