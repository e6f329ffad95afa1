// SPDX-License-Identifier: Apache-2.0
// docs/guide/sizing.md and docs/guide/allocators.md: stacks, arenas and queues as large as the
// host, and as large as the budget. Each in a process of its own, which it ends.
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#include <weft/bounded_queue.h>
#include <weft/budget.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

std::size_t address_space_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// How many of `wanted` threads can be had within so much more address space, which stands for the
// memory of a small container.
int threads_within(std::size_t bytes, std::size_t stack_bytes, int wanted) {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = address_space_bytes() + bytes;
  ::setrlimit(RLIMIT_AS, &limit);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, stack_bytes);
  int made = 0;
  for (pthread_t thread{}; made < wanted; ++made) {
    const auto sleep = [](void*) -> void* {
      ::pause();
      return nullptr;
    };
    if (::pthread_create(&thread, &attributes, sleep, nullptr) != 0) break;
  }
  return made;
}

TEST(TheBug, StacksOfEightMebibytesDoNotFit) {
  EXPECT_EXIT(std::_Exit(threads_within(256 * mebibyte, 8 * mebibyte, 100) < 100 ? 0 : 1),
              testing::ExitedWithCode(0), "");
}

TEST(TheCure, StacksFromTheBudgetFit) {
  EXPECT_EXIT(
      {
        budget::CpuBudget cpu;
        cpu.cores = 2;
        cpu.threads = 2;
        budget::MemoryBudget memory;
        memory.bytes = 256 * mebibyte;
        const budget::Sizes sizes = budget::sizes_for(cpu, memory);
        const auto threads =
            static_cast<int>(sizes.cpu_pool_threads.value + sizes.io_pool_threads.value);
        const int made = threads_within(sizes.stack_budget_bytes.value,
                                        sizes.stack_bytes_per_thread.value, threads);
        std::_Exit(made == threads ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// Each of so many threads allocates while the others do.
int arenas_of(int threads) {
  std::barrier together(threads);
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&] {
      together.arrive_and_wait();
      std::vector<std::unique_ptr<char[]>> kept;
      for (int j = 0; j < 100; ++j) kept.push_back(std::make_unique<char[]>(1000));
      together.arrive_and_wait();
    });
  }
  for (std::thread& thread : all) thread.join();
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const file = ::open_memstream(&text, &size);
  ::malloc_info(0, file);
  std::fclose(file);
  int arenas = 0;
  const std::string all_text(text, size);
  for (auto at = all_text.find("<heap nr="); at != std::string::npos;
       at = all_text.find("<heap nr=", at + 1)) {
    ++arenas;
  }
  std::free(text);
  return arenas;
}

TEST(TheBug, ArenasComeFromTheHost) {
  // Two CPUs, eight arenas for each: all the threads have their own.
  EXPECT_EXIT(std::_Exit(arenas_of(12) > 4 ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(TheCure, ArenasFromTheBudget) {
  EXPECT_EXIT(
      {
        budget::CpuBudget cpu;
        const auto arenas = static_cast<int>(budget::sizes_for(cpu, {}).malloc_arenas.value);
        ::mallopt(M_ARENA_MAX, arenas);
        std::_Exit(arenas_of(12) <= arenas ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// In each turn two come and one is served. Answers how many turns the one waited that waited
// longest.
template <class Push, class Pop>
int longest_wait(Push push, Pop pop) {
  int longest = 0;
  for (int turn = 0; turn < 100'000; ++turn) {
    push(turn);
    push(turn);
    longest = std::max(longest, turn - pop());
  }
  return longest;
}

TEST(TheBug, AQueueWithoutBoundsTakesEverything) {
  std::deque<int> queue;
  const int longest = longest_wait([&](int turn) { queue.push_back(turn); },
                                   [&] {
                                     const int oldest = queue.front();
                                     queue.pop_front();
                                     return oldest;
                                   });
  EXPECT_GT(longest, 40'000) << "the bug does not show any more, and the guide is wrong";
  EXPECT_EQ(queue.size(), 100'000U);
}

TEST(TheCure, ABoundedQueueSaysNoAtOnce) {
  BoundedQueue<int> queue(256);
  int refused = 0;
  const int longest =
      longest_wait([&](int turn) { refused += queue.try_push(turn) == Pushed::full ? 1 : 0; },
                   [&] { return queue.try_pop().value(); });
  EXPECT_LE(longest, 256);
  EXPECT_GT(refused, 90'000);
}

}  // namespace
}  // namespace weft
