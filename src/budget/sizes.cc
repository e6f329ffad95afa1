// SPDX-License-Identifier: Apache-2.0
// What follows from a budget: pool sizes, malloc arenas and stacks, each with its rule.
#include <algorithm>
#include <cmath>

#include <weft/budget.h>

#include "base/text.h"

namespace weft::budget {
namespace {

constexpr std::uint64_t kibibyte = 1024;
constexpr std::uint64_t mebibyte = 1024 * kibibyte;
constexpr std::uint64_t smallest_stack = 128 * kibibyte;  // enough for handlers that do not recurse
constexpr std::uint64_t largest_stack = 8 * mebibyte;     // what Linux gives by default
constexpr std::uint64_t stack_step = 64 * kibibyte;
constexpr std::uint64_t share_for_stacks = 8;

Size stack_budget(const MemoryBudget& memory) {
  if (memory.bytes == 0) return {0, "the memory budget is not known"};
  const std::uint64_t usable = memory.throttled_above_bytes.value_or(memory.bytes);
  return {usable / share_for_stacks, memory.throttled_above_bytes
                                         ? "an eighth of memory.high"
                                         : "an eighth of the memory budget"};
}

Size stack_per_thread(std::uint64_t budget, std::uint64_t threads) {
  if (budget == 0) return {largest_stack, "8 MiB, the default: the memory budget is not known"};
  const std::uint64_t share = budget / threads / stack_step * stack_step;
  return {std::clamp(share, smallest_stack, largest_stack),
          "the stack budget over " + std::to_string(threads) + " threads, 128 KiB to 8 MiB"};
}

}  // namespace

Sizes sizes_for(const CpuBudget& cpu, const MemoryBudget& memory) {
  Sizes sizes;
  const std::string cores = base::to_text(cpu.cores);
  const std::uint64_t threads = threads_for(cpu.cores);
  sizes.cpu_pool_threads = {
      threads, cpu.cores < 1 ? "1, because a part of a core still needs a thread (" + cores + ")"
                             : "the CPU budget rounded down (" + cores + ")"};
  sizes.io_pool_threads = {std::max<std::uint64_t>(2, 2 * threads),
                           "twice the CPU pool, at least 2"};
  // Rounded up: 2 x 0.5 is one arena, 2 x 1.2 is three.
  sizes.malloc_arenas = {static_cast<std::uint64_t>(std::max(1.0, std::ceil(2 * cpu.cores))),
                         "2 x " + cores + " cores, rounded up"};
  sizes.stack_budget_bytes = stack_budget(memory);
  sizes.stack_bytes_per_thread = stack_per_thread(
      sizes.stack_budget_bytes.value, sizes.cpu_pool_threads.value + sizes.io_pool_threads.value);
  return sizes;
}

}  // namespace weft::budget
