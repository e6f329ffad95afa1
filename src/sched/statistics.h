// SPDX-License-Identifier: Apache-2.0
// Statistics: what the engine counts, on a page that other processes can read.
//
// The page is a file, /dev/shm/weft.PID, which only its owner may open. The monitor copies the
// counters onto it now and then; nobody waits for anybody: while it writes, the sequence number is
// odd, and a reader that saw an odd number or another one afterwards tries again. The reader's
// side is view/statistics_reader.h.
//
// Where there can be no file, the page is memory of our own, and visible() says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fiber/fiber.h"
#include "sched/sites.h"
#include "sched/stuck_calls.h"

namespace weft::sched {

class Monitor;
class Runtime;

enum class WorkerState : std::uint32_t { gone, idle, in_fiber };

struct WorkerRow {
  std::uint64_t switches;
  std::uint64_t steals;
  std::uint64_t stolen_fibers;
  std::uint64_t parks[fiber::park_kinds];
  std::uint64_t polls;
  std::uint64_t timers_fired;
  std::uint64_t timers_waiting;
  std::uint32_t queue_length;  // those that only this worker may run included
  WorkerState state;
};

struct TripRow {
  static constexpr std::size_t name_bytes = 40;
  char name[name_bytes];  // cut, but always ended by a 0
  std::uint64_t count;
};

struct StuckRow {
  std::int64_t system_call;
  std::uint64_t program_counter;
  std::uint64_t frames[StuckCalls::most_frames];
  std::uint32_t frame_count;
  std::uint32_t fiber_id;
  std::uint64_t count;
};

inline constexpr std::size_t places = static_cast<std::size_t>(fiber::Place::free) + 1;

// All that is told, as it was at one moment; about, because the counters go on meanwhile.
struct StatisticsSnapshot {
  static constexpr std::size_t most_workers = 256;

  std::uint64_t updates;              // how often it was written; 0: not yet
  std::uint64_t updated_nanoseconds;  // of the monotonic clock
  std::uint64_t relieved;             // carriers, ever
  std::uint64_t not_relieved;         // because there were too many already
  std::uint64_t stuck_unknown;        // not among the rows below
  std::uint64_t fibers[places];       // live ones, by where they are
  std::uint32_t workers;              // as many as there shall be
  std::uint32_t workers_made;         // as many as there ever were
  std::uint32_t workers_asleep;
  std::uint32_t carriers;
  std::uint32_t spares;
  std::uint32_t relieved_now;
  std::uint32_t worker_count;  // rows in use below
  std::uint32_t trip_count;
  std::uint32_t stuck_count;
  std::uint32_t unused;
  WorkerRow worker_rows[most_workers];
  TripRow trip_rows[Sites::most_sites];
  StuckRow stuck_rows[StuckCalls::most_sites];
};

// Any change to what is above or below is another version.
struct StatisticsPage {
  static constexpr char magic_text[4] = {'w', 'e', 'f', 't'};
  static constexpr std::uint32_t current_version = 2;

  char magic[4];  // written last when the page is made
  std::uint32_t version;
  std::uint64_t size_bytes;
  std::uint32_t process_id;
  std::uint32_t unused;
  std::uint64_t start_time_ticks;  // of the process: a process id is used again
  std::uint64_t sequence;          // odd while the snapshot is written
  StatisticsSnapshot snapshot;
};
static_assert(std::is_trivially_copyable_v<StatisticsPage>);
static_assert(sizeof(StatisticsSnapshot) % sizeof(std::uint64_t) == 0);

inline constexpr char statistics_folder[] = "/dev/shm";

class Statistics {
 public:
  // A file in this folder. The engine has one page in a process; the second is not visible.
  explicit Statistics(const char* folder = statistics_folder) noexcept;
  ~Statistics();
  Statistics(const Statistics&) = delete;
  Statistics& operator=(const Statistics&) = delete;

  // Whether other processes can see it.
  bool visible() const noexcept { return path_[0] != '\0'; }

  // Takes the file away, for a process that ends without the end of its runtime. Nobody who has
  // opened it notices.
  void withdraw() noexcept;

  // Called by one thread, the monitor. Takes some microseconds, and looks at every fiber there is:
  // ten times a second is often enough for people.
  void update(Runtime& runtime, const Monitor& monitor, std::uint32_t spares) noexcept;

  // Puts the snapshot on the page; called by one thread at a time.
  void publish(const StatisticsSnapshot& snapshot) noexcept;

 private:
  // nullptr: it cannot be.
  StatisticsPage* make_file(const char* folder, std::uint32_t process_id) noexcept;

  static constexpr std::size_t path_bytes = 64;
  char path_[path_bytes] = {};
  StatisticsPage* page_ = nullptr;
  StatisticsSnapshot next_{};  // owned by the monitor
};

}  // namespace weft::sched
