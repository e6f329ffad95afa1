// SPDX-License-Identifier: Apache-2.0
// Is the page whose it seems to be, and is what was read of one moment?
#include "view/statistics_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "os/task_file.h"

namespace weft::view {

using sched::StatisticsPage;
using sched::StatisticsSnapshot;

namespace {

// The writer needs microseconds, and does it a few times a second.
constexpr int most_tries = 1000;

template <class Value>
bool read_at(const os::Descriptor& file, std::size_t offset, Value& value) {
  for (;;) {
    const ssize_t count = ::pread(file.get(), &value, sizeof value, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    return count == static_cast<ssize_t>(sizeof value);
  }
}

// 0: it is over.
std::uint64_t start_time_of(pid_t process_id) {
  const auto stat = os::read_text("/proc/" + std::to_string(process_id) + "/stat");
  if (!stat.ok()) return 0;
  const std::size_t name_end = stat.value().rfind(") ");
  const bool over = name_end != std::string::npos && stat.value()[name_end + 2] == 'Z';
  return over ? 0 : os::start_time_ticks(stat.value());
}

// Nobody but the process itself, or root, can have made its page.
bool is_owned_by(const struct stat& file, pid_t process_id) {
  struct stat process {};
  const std::string folder = "/proc/" + std::to_string(process_id);
  return file.st_uid == 0 ||
         (::stat(folder.c_str(), &process) == 0 && process.st_uid == file.st_uid);
}

void make_plausible(StatisticsSnapshot& snapshot) {
  snapshot.worker_count =
      std::min<std::uint32_t>(snapshot.worker_count, StatisticsSnapshot::most_workers);
  snapshot.trip_count = std::min<std::uint32_t>(snapshot.trip_count, sched::Sites::most_sites);
  snapshot.stuck_count =
      std::min<std::uint32_t>(snapshot.stuck_count, sched::StuckCalls::most_sites);
  for (sched::TripRow& row : snapshot.trip_rows) row.name[sched::TripRow::name_bytes - 1] = '\0';
  for (sched::StuckRow& row : snapshot.stuck_rows) {
    row.frame_count = std::min<std::uint32_t>(row.frame_count, sched::StuckCalls::most_frames);
  }
}

struct Header {
  char magic[sizeof StatisticsPage::magic];
  std::uint32_t version;
  std::uint64_t size_bytes;
  std::uint32_t process_id;
  std::uint32_t unused;
  std::uint64_t start_time_ticks;
};
static_assert(sizeof(Header) == offsetof(StatisticsPage, sequence));

}  // namespace

base::Result<StatisticsReader> StatisticsReader::open(pid_t process_id, const std::string& folder) {
  const std::string process = "process " + std::to_string(process_id);
  const std::string path = folder + "/weft." + std::to_string(process_id);
  const std::uint64_t started = start_time_of(process_id);
  os::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.valid()) {
    if (errno != ENOENT) return os::last_error("open", path);
    return started == 0
               ? base::Error{"there is no " + process, ESRCH}
               : base::Error{process + " does not run under weft, or hides its statistics: " +
                                 "there is no " + path,
                             ENOENT};
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return os::last_error("look at", path);
  Header header{};
  if (!S_ISREG(status.st_mode) || !read_at(file, 0, header) ||
      std::memcmp(header.magic, StatisticsPage::magic_text, sizeof header.magic) != 0) {
    return base::Error{path + " is no page of weft's, or is just being made", EINVAL};
  }
  if (!is_owned_by(status, process_id) && started != 0) {
    return base::Error{path + " belongs to another user than " + process, EPERM};
  }
  if (started == 0 || header.start_time_ticks != started ||
      header.process_id != static_cast<std::uint32_t>(process_id)) {
    return base::Error{path + " is stale: the process that wrote it is gone; remove it", ESRCH};
  }
  if (header.version != StatisticsPage::current_version ||
      header.size_bytes != sizeof(StatisticsPage)) {
    return base::Error{process + " writes version " + std::to_string(header.version) +
                           " of its statistics, and this program reads version " +
                           std::to_string(StatisticsPage::current_version) +
                           ": use the program of the same release",
                       ENOTSUP};
  }
  return StatisticsReader(process_id, started, std::move(file));
}

bool StatisticsReader::read(StatisticsSnapshot& snapshot) const {
  constexpr std::size_t sequence_at = offsetof(StatisticsPage, sequence);
  for (int tries = 0; tries < most_tries; ++tries) {
    std::uint64_t before = 0, after = 0;
    // Each is a system call, and in this order; pairs with Statistics::publish().
    if (!read_at(file_, sequence_at, before)) return false;
    if (before % 2 == 0) {
      if (!read_at(file_, offsetof(StatisticsPage, snapshot), snapshot)) return false;
      if (!read_at(file_, sequence_at, after)) return false;
      if (before == after) {
        make_plausible(snapshot);
        return true;
      }
    }
    constexpr useconds_t a_moment = 100;
    if (tries > most_tries / 2) ::usleep(a_moment);
  }
  return false;
}

bool StatisticsReader::process_lives() const {
  return start_time_of(process_id_) == start_time_ticks_;
}

}  // namespace weft::view
