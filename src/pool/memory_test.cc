// SPDX-License-Identifier: Apache-2.0
// Where there is no memory for more threads, those that are there go on.
#include <gtest/gtest.h>
#include <weft/pool.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <latch>
#include <new>
#include <thread>

namespace {

std::atomic<bool> is_short{false};
std::atomic<int> missed{0};
thread_local bool is_spared = false;

}  // namespace

// Not inlined: GCC would see free() behind new, and take them for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  const bool fails = is_short.load(std::memory_order_relaxed) && !is_spared;
  if (fails) ++missed;
  void* const memory = fails ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace weft {
namespace {

using namespace std::chrono_literals;

// The monitor wants more threads for jobs that all wait, and looks at those it has.
TEST(PoolMemory, ThatIsMissingForMoreThreadsIsWaitedFor) {
  is_spared = true;
  constexpr int jobs = 20;
  std::latch done(jobs);
  Pool pool({.policy = Policy::adaptive, .minimum = 1, .maximum = jobs, .cpus = 1});
  is_short = true;
  std::atomic<bool> goes_on{false};
  for (int i = 0; i < jobs; ++i) {
    pool.submit([&] {
      while (!goes_on) std::this_thread::sleep_for(1ms);
      done.count_down();
    });
  }
  while (missed < 5) std::this_thread::sleep_for(1ms);
  is_short = false;
  goes_on = true;
  done.wait();
  pool.drain();
  is_spared = false;
}

}  // namespace
}  // namespace weft
