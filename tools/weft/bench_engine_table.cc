// SPDX-License-Identifier: Apache-2.0
// The table of `weft bench engine`. Measurements are bench/engine's, and said there what they do.
#include "bench_engine_table.h"

namespace weft::tool {
namespace {

using bench::ours_at_most;
using bench::ratio_at_least;
using bench::ratio_at_most;

constexpr const char* nptl = "NPTL";
constexpr const char* boost_context = "Boost.Context";
constexpr const char* boost_fiber = "Boost.Fiber";
// No rivals, but the most that could be reached: one thread that has the mutex to itself, and an
// echo without threads.
constexpr const char* one_alone = "one thread";
constexpr const char* bare_epoll = "bare epoll";

constexpr const char* nanoseconds = "ns";
constexpr const char* microseconds = "us";
constexpr const char* milliseconds = "ms";
constexpr const char* thousands_a_second = "k/s";
constexpr const char* steps = "M steps/s";
constexpr const char* kibibytes = "KiB";

}  // namespace

const std::vector<EngineComparison>& engine_comparisons() {
  static const std::vector<EngineComparison> table = {
      {"switch", nanoseconds, "switch.weft", {{"switch.boost", boost_context, ratio_at_most(1.3)}}},

      {"mutex, free", nanoseconds, "mutex.weft", {{"mutex.nptl", nptl, ratio_at_most(1.0)}}},
      {"rwlock, free: read",
       nanoseconds,
       "read_lock.weft",
       {{"read_lock.nptl", nptl, ratio_at_most(1.1)}}},
      {"semaphore, free",
       nanoseconds,
       "semaphore.weft",
       {{"semaphore.nptl", nptl, ratio_at_most(1.0)}}},

      {"mutex, 64 threads",
       thousands_a_second,
       "contention.weft",
       {{"contention.nptl", nptl, ratio_at_least(3)}, {"contention.alone", one_alone}}},
      {"  0.5 us in and out",
       thousands_a_second,
       "contention_longer.weft",
       {{"contention_longer.nptl", nptl}}},
      {"  yields with it",
       thousands_a_second,
       "contention_yielding.weft",
       {{"contention_yielding.nptl", nptl}}},
      {"  longest wait",
       milliseconds,
       "contention_waits.weft",
       {{"contention_waits.nptl", nptl}},
       {{"p999_us", "  P99.9 wait", microseconds}}},

      {"ping-pong, 1 CPU",
       thousands_a_second,
       "ping_pong_1.weft",
       {{"ping_pong_1.nptl", nptl, ratio_at_least(20)}}},
      {"ping-pong, 2 CPUs",
       thousands_a_second,
       "ping_pong_2.weft",
       {{"ping_pong_2.nptl", nptl, ratio_at_least(1.0)}}},

      {"create and join",
       microseconds,
       "create_join.weft",
       {{"create_join.nptl", nptl, ratio_at_most(1.2)}}},

      {"memory of a thread",
       kibibytes,
       "memory.weft",
       {{"memory.nptl", nptl, ratio_at_most(1.1)}},
       {{"resident", "  in the process", kibibytes},
        {"kernel", "  in the kernel", kibibytes},
        {"available", "  less available", kibibytes}}},

      {"CPU, 2 threads", steps, "cpu_2.weft", {{"cpu_2.nptl", nptl, ratio_at_least(0.97)}}},
      {"CPU, 16 threads", steps, "cpu_16.weft", {{"cpu_16.nptl", nptl, ratio_at_least(0.97)}}},
      {"CPU, 128 threads", steps, "cpu_128.weft", {{"cpu_128.nptl", nptl, ratio_at_least(0.97)}}},
      {"CPU, 512 threads", steps, "cpu_512.weft", {{"cpu_512.nptl", nptl, ratio_at_least(0.97)}}},
      {"second CPU, 16 made",
       milliseconds,
       "burst_made.weft",
       {{"burst_made.nptl", nptl, ours_at_most(1)}}},
      {"second CPU, 16 woken",
       milliseconds,
       "burst_woken.weft",
       {{"burst_woken.nptl", nptl, ours_at_most(1)}}},

      {"others run on after", milliseconds, "stuck.weft", {{"stuck.nptl", nptl, ours_at_most(20)}}},

      {"echo, 64 connections",
       thousands_a_second,
       "echo_64.weft",
       {{"echo_64.nptl", nptl, ratio_at_least(3)},
        {"echo_64.boost", boost_fiber, ratio_at_least(1.0)},
        {"echo_64.bare", bare_epoll}},
       {{"server_busy", "  of its CPU", ""}}},
      {"echo, 1024 connections",
       thousands_a_second,
       "echo_1024.weft",
       {{"echo_1024.nptl", nptl, ratio_at_least(3)},
        {"echo_1024.boost", boost_fiber, ratio_at_least(1.0)},
        {"echo_1024.bare", bare_epoll}},
       {{"server_busy", "  of its CPU", ""}}},
  };
  return table;
}

}  // namespace weft::tool
