// SPDX-License-Identifier: Apache-2.0
// What is set before there are threads, each time in a process of its own.
#include "service/process.h"

#include <malloc.h>
#include <pthread.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace weft::service {
namespace {

budget::Budget small_budget() {
  budget::Budget budget;
  budget.cpu.cores = 1;
  budget.cpu.threads = 1;
  budget.memory.bytes = std::uint64_t{128} << 20U;
  budget.sizes = budget::sizes_for(budget.cpu, budget.memory);
  return budget;
}

std::size_t stack_of_a_thread() {
  std::size_t bytes = 0;
  std::thread([&] {
    pthread_attr_t attributes;
    ::pthread_getattr_np(::pthread_self(), &attributes);
    ::pthread_attr_getstacksize(&attributes, &bytes);
    ::pthread_attr_destroy(&attributes);
  }).join();
  return bytes;
}

TEST(ApplySizes, GivesThreadsTheStackOfTheBudget) {
  EXPECT_EXIT(
      {
        ::unsetenv("MALLOC_ARENA_MAX");
        const budget::Budget budget = small_budget();
        const auto settings = apply_sizes(budget);
        // AddressSanitizer gives each thread somewhat more than was asked for; libc's own are 8
        // MiB.
        const std::size_t bytes = stack_of_a_thread();
        const std::size_t wanted = budget.sizes.stack_bytes_per_thread.value;
        const bool is_set = settings[1].problem.empty() && bytes >= wanted && bytes < 4 * wanted;
        if (!is_set) {
          std::fprintf(stderr, "wanted %zu, have %zu: %s\n", wanted, bytes,
                       settings[1].problem.c_str());
        }
        std::_Exit(is_set ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(ApplySizes, SetsArenasWhereThereAreAny) {
  EXPECT_EXIT(
      {
        ::unsetenv("MALLOC_ARENA_MAX");
        const bool has_arenas = ::mallopt(M_ARENA_MAX, 1) != 0;  // AddressSanitizer's has none
        const auto settings = apply_sizes(small_budget());
        std::_Exit(settings.size() == 2 && settings[0].problem.empty() == has_arenas ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(ApplySizes, LeavesArenasToWhoHasAsked) {
  EXPECT_EXIT(
      {
        ::setenv("MALLOC_ARENA_MAX", "3", 1);
        const auto settings = apply_sizes(small_budget());
        std::_Exit(settings[0].problem == "MALLOC_ARENA_MAX says 3" ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(ApplySizes, SaysWhatCouldNotBeSet) {
  EXPECT_EXIT(
      {
        budget::Budget budget = small_budget();
        budget.sizes.stack_bytes_per_thread.value = 1;  // less than any thread may have
        std::_Exit(apply_sizes(budget)[1].problem.empty() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace weft::service
