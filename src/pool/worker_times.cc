// SPDX-License-Identifier: Apache-2.0
// What the kernel says of a worker's thread, against what the worker says of its jobs.
#include "pool/worker_times.h"

#include <algorithm>
#include <charconv>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "os/task_file.h"

namespace weft::pool {
namespace {

constexpr std::chrono::milliseconds longest_history{50};

// None also where there is no memory for it: the next look tries again.
os::Descriptor open_task_file(std::uint32_t thread_id, const char* name) noexcept {
  try {
    auto file = os::open_to_read("/proc/self/task/" + std::to_string(thread_id) + "/" + name);
    return file ? std::move(file).value() : os::Descriptor();
  } catch (const std::bad_alloc&) {
    return {};
  }
}

std::string_view text_of(const os::Descriptor& file, std::span<char> buffer) {
  if (!file.valid()) return {};
  const auto length = os::read_again(file, buffer);
  return length ? std::string_view(buffer.data(), *length) : std::string_view();
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_delay(std::string_view schedstat) noexcept {
  const std::size_t space = schedstat.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view rest = schedstat.substr(space + 1);
  std::int64_t value = 0;
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (parsed.ec != std::errc() || value < 0) return std::nullopt;
  return std::chrono::nanoseconds{value};
}

bool is_runnable(std::string_view stat) noexcept {
  // The state stands behind the name, which may hold anything.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return true;
  const char state = stat[name_end + 2];
  return state != 'S' && state != 'D';
}

void WorkerTimes::begin_thread(std::uint32_t thread_id, nanoseconds now) noexcept {
  end_job(now);
  thread_id_.store(thread_id, std::memory_order_release);
}

void WorkerTimes::begin_job(nanoseconds now) noexcept {
  const std::int64_t since = outside_since_.load(std::memory_order_relaxed);
  outside_.store(outside_.load(std::memory_order_relaxed) + now.count() - since,
                 std::memory_order_relaxed);
  outside_since_.store(in_a_job, std::memory_order_release);
}

void WorkerTimes::end_job(nanoseconds now) noexcept {
  outside_since_.store(now.count(), std::memory_order_release);
}

WorkerTimes::nanoseconds WorkerTimes::time_outside(nanoseconds now) const noexcept {
  // The two may be of different moments; whoever calls bounds the result.
  const std::int64_t since = outside_since_.load(std::memory_order_acquire);
  const std::int64_t current = since == in_a_job ? 0 : now.count() - since;
  return nanoseconds{outside_.load(std::memory_order_relaxed) + current};
}

void WorkerTimes::close_files() noexcept {
  schedstat_.reset();
  stat_.reset();
}

WorkerTimes::Seen WorkerTimes::look(nanoseconds now) {
  Seen seen = look_back(now);
  // Who has not been looked at for long has no more to say than the others.
  const nanoseconds all = seen.ran + seen.blocked;
  if (all > longest_history) {
    const double part = std::chrono::duration<double>(longest_history) / all;
    seen.ran = std::chrono::duration_cast<nanoseconds>(seen.ran * part);
    seen.blocked = std::chrono::duration_cast<nanoseconds>(seen.blocked * part);
  }
  return seen;
}

WorkerTimes::Seen WorkerTimes::look_back(nanoseconds now) {
  const std::uint32_t thread_id = thread_id_.load(std::memory_order_acquire);
  if (thread_id == 0) return {};
  const bool is_new = thread_id != last_.thread_id;
  const nanoseconds outside = time_outside(now);
  const nanoseconds passed = now - last_.now;
  if (!is_new && outside - last_.outside >= passed) return {};
  if (is_new) close_files();
  // Who is new and has no job yet has waited for nothing that would be worth opening files.
  const bool is_worth_files = !is_new || outside_since_.load(std::memory_order_relaxed) == in_a_job;
  if (is_worth_files && !schedstat_.valid()) {
    schedstat_ = open_task_file(thread_id, delay_file_);
  }
  char buffer[512];
  const auto delayed = parse_delay(text_of(schedstat_, buffer));
  const Counters before =
      std::exchange(last_, Counters{.thread_id = thread_id,
                                    .now = now,
                                    .outside = outside,
                                    .ran = os::cpu_time_of(thread_id),
                                    .delayed = delayed.value_or(nanoseconds{0})});
  if (is_new) return {};

  const nanoseconds in_jobs = passed - std::clamp(outside - before.outside, nanoseconds{0}, passed);
  Seen seen{.ran = std::min(last_.ran - before.ran, in_jobs), .in_jobs = true};
  if (!delayed) owed_ = nanoseconds{0};
  owed_ = std::max(nanoseconds{0}, owed_ + in_jobs - seen.ran - (last_.delayed - before.delayed));
  if (owed_ == nanoseconds{0}) return seen;
  if (!stat_.valid()) stat_ = open_task_file(thread_id, "stat");
  if (!is_runnable(text_of(stat_, buffer))) {
    seen.blocked = std::exchange(owed_, nanoseconds{0});
  }
  return seen;
}

}  // namespace weft::pool
