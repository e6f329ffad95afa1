// SPDX-License-Identifier: Apache-2.0
// The page: made, filled and taken away.
#include "sched/statistics.h"

#include <asm/errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "fiber/table.h"
#include "os/check.h"
#include "os/clock.h"
#include "os/memory.h"
#include "os/system_call.h"
#include "os/task_file.h"
#include "sched/monitor.h"
#include "sched/runtime.h"

namespace weft::sched {

namespace {

// The process that has a page; another one after a fork.
constinit atomic<std::uint32_t> page_owner{0};

std::uint32_t own_process_id() noexcept {
  return static_cast<std::uint32_t>(os::call(SYS_getpid));
}

std::uint64_t own_start_time() noexcept {
  os::RawFile file("/proc/self/stat");
  char buffer[1024];
  return os::start_time_ticks(file.read(buffer));
}

StatisticsPage* mapped(int flags, long descriptor) noexcept {
  const long address = os::call(SYS_mmap, nullptr, sizeof(StatisticsPage), PROT_READ | PROT_WRITE,
                                flags, descriptor, 0);
  return os::is_mapped(address) ? reinterpret_cast<StatisticsPage*>(address) : nullptr;
}

long create(const char* path) noexcept {
  constexpr long owner_only = 0600;
  return os::call(SYS_openat, AT_FDCWD, path, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC,
                  owner_only);
}

WorkerState state_of(const Worker& worker) noexcept {
  if (!worker.active.load(std::memory_order_relaxed)) return WorkerState::gone;
  const Carrier* const carrier = worker.carrier.load(std::memory_order_acquire);
  const bool in_fiber =
      carrier != nullptr && carrier->phase.load(std::memory_order_relaxed) >= Phase::in_fiber;
  return in_fiber ? WorkerState::in_fiber : WorkerState::idle;
}

void fill(WorkerRow& row, const Worker& worker) noexcept {
  row.switches = worker.switches.value();
  row.steals = worker.steals.value();
  row.stolen_fibers = worker.stolen_fibers.value();
  for (std::size_t kind = 0; kind < fiber::park_kinds; ++kind) {
    row.parks[kind] = worker.parks[kind].value();
  }
  row.polls = worker.polls.value();
  row.timers_fired = worker.timers_fired.value();
  row.timers_waiting = worker.timers.size();
  row.queue_length = worker.queue.length() + worker.pinned.length() +
                     (worker.next.load(std::memory_order_relaxed) == nullptr ? 0 : 1);
  row.state = state_of(worker);
}

std::uint32_t fill(TripRow (&rows)[Sites::most_sites], const Sites& sites) noexcept {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < Sites::most_sites; ++i) {
    const char* const name = sites.at(i).name.load(std::memory_order_relaxed);
    const std::uint64_t trips = sites.at(i).count.load(std::memory_order_relaxed);
    if (trips == 0) continue;
    TripRow& row = rows[count++];
    row.count = trips;
    std::fill(std::begin(row.name), std::end(row.name), '\0');
    // The last of them is for all that the table has no room for.
    const std::string_view text(name == nullptr ? "elsewhere" : name);
    std::copy_n(text.begin(), std::min(text.size(), TripRow::name_bytes - 1), row.name);
  }
  return count;
}

std::uint32_t fill(StuckRow (&rows)[StuckCalls::most_sites], const StuckCalls& calls) noexcept {
  std::uint32_t count = 0;
  calls.for_each([&](const StuckCalls::Entry& entry) {
    StuckRow& row = rows[count++];
    row.system_call = entry.system_call;
    row.program_counter = entry.program_counter;
    std::copy(std::begin(entry.frames), std::end(entry.frames), row.frames);
    row.frame_count = entry.frame_count;
    row.fiber_id = entry.fiber_id;
    row.count = entry.count;
  });
  return count;
}

}  // namespace

Statistics::Statistics(const char* folder) noexcept {
  const std::uint32_t process_id = own_process_id();
  if (page_owner.exchange(process_id, std::memory_order_relaxed) != process_id) {
    page_ = make_file(folder, process_id);
    if (page_ == nullptr) page_owner.store(0, std::memory_order_relaxed);
  }
  if (page_ == nullptr) page_ = mapped(MAP_PRIVATE | MAP_ANONYMOUS, -1);
  os::check(page_ != nullptr, "weft: no memory for the page of statistics");
  page_->version = StatisticsPage::current_version;
  page_->size_bytes = sizeof(StatisticsPage);
  page_->process_id = process_id;
  page_->start_time_ticks = own_start_time();
  // A reader takes a page without it for none of ours.
  base::atomic_thread_fence(std::memory_order_release);
  std::memcpy(page_->magic, StatisticsPage::magic_text, sizeof page_->magic);
}

void Statistics::withdraw() noexcept {
  // A child of fork() has a copy of this object, and the file is its parent's.
  if (!visible() || page_->process_id != own_process_id()) return;
  os::call(SYS_unlinkat, AT_FDCWD, path_, 0);
  page_owner.store(0, std::memory_order_relaxed);
}

Statistics::~Statistics() {
  withdraw();
  os::call(SYS_munmap, page_, sizeof(StatisticsPage));
}

StatisticsPage* Statistics::make_file(const char* folder, std::uint32_t process_id) noexcept {
  constexpr std::string_view name = "/weft.";
  constexpr std::size_t longest_number = 10;
  const std::string_view folder_name(folder);
  if (folder_name.size() + name.size() + longest_number >= path_bytes) return nullptr;
  char path[path_bytes] = {};
  char* end = std::copy(folder_name.begin(), folder_name.end(), path);
  end = std::copy(name.begin(), name.end(), end);
  std::to_chars(end, path + path_bytes - 1, process_id);

  long descriptor = create(path);
  if (descriptor == -EEXIST) {
    // Of an earlier process with our number, or of what this process was before exec().
    os::call(SYS_unlinkat, AT_FDCWD, path, 0);
    descriptor = create(path);
  }
  if (descriptor < 0) return nullptr;
  // Reserved now: to write onto a page that a full file system cannot give ends the process.
  StatisticsPage* page = nullptr;
  if (os::call(SYS_fallocate, descriptor, 0, 0, sizeof(StatisticsPage)) == 0) {
    page = mapped(MAP_SHARED, descriptor);
  }
  os::call(SYS_close, descriptor);
  if (page == nullptr) {
    os::call(SYS_unlinkat, AT_FDCWD, path, 0);
    return nullptr;
  }
  std::copy(std::begin(path), std::end(path), path_);
  return page;
}

void Statistics::publish(const StatisticsSnapshot& snapshot) noexcept {
  using Word = std::uint64_t;
  constexpr std::size_t words = sizeof(StatisticsSnapshot) / sizeof(Word);
  const auto* const from = reinterpret_cast<const unsigned char*>(&snapshot);
  auto* const to = reinterpret_cast<Word*>(&page_->snapshot);
  const Word sequence = page_->sequence;  // ours alone to write
  __atomic_store_n(&page_->sequence, sequence + 1, __ATOMIC_RELAXED);
  // The odd number is there before any word; pairs with StatisticsReader::read(), which looks at
  // the number again after the words.
  base::atomic_thread_fence(std::memory_order_release);
  for (std::size_t i = 0; i < words; ++i) {
    Word word = 0;
    std::memcpy(&word, from + i * sizeof(Word), sizeof(Word));
    __atomic_store_n(to + i, word, __ATOMIC_RELAXED);
  }
  // Every word is there before the even number; pairs with the same, which reads the number first.
  __atomic_store_n(&page_->sequence, sequence + 2, __ATOMIC_RELEASE);
}

void Statistics::update(Runtime& runtime, const Monitor& monitor, std::uint32_t spares) noexcept {
  if (page_->process_id != own_process_id()) return;  // after a fork: our parent's
  ++next_.updates;
  next_.updated_nanoseconds =
      static_cast<std::uint64_t>(os::MonotonicClock::now().time_since_epoch().count());
  next_.relieved = monitor.relieved();
  next_.not_relieved = monitor.not_relieved();
  next_.stuck_unknown = monitor.stuck_calls().unknown();
  std::fill(std::begin(next_.fibers), std::end(next_.fibers), 0);
  fiber::for_each([&](const fiber::Fiber& fiber) {
    ++next_.fibers[static_cast<std::size_t>(fiber.place.load(std::memory_order_relaxed))];
  });
  next_.workers = runtime.workers();
  next_.workers_asleep = runtime.idle().sleeping();
  next_.carriers = runtime.carriers();
  next_.spares = spares;
  next_.relieved_now = runtime.relieved_asleep() + runtime.relieved_running();
  next_.workers_made = 0;
  runtime.for_each_worker([&](const Worker& worker) {
    const std::uint32_t row = next_.workers_made++;
    if (row < StatisticsSnapshot::most_workers) fill(next_.worker_rows[row], worker);
  });
  next_.worker_count =
      std::min<std::uint32_t>(next_.workers_made, StatisticsSnapshot::most_workers);
  next_.trip_count = fill(next_.trip_rows, trips_home());
  next_.stuck_count = fill(next_.stuck_rows, monitor.stuck_calls());
  publish(next_);
}

}  // namespace weft::sched
