// SPDX-License-Identifier: Apache-2.0
// Without memory for it a connection ends, and the server goes on, by each driver.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#include "serve/test_streams.h"

namespace {

// Allocations of the servers' threads until one of them fails; none where it is negative.
std::atomic<int> allocations_left{-1};
thread_local bool is_spared = false;

bool must_fail() noexcept {
  if (is_spared || allocations_left.load(std::memory_order_relaxed) < 0) return false;
  return allocations_left.fetch_sub(1) == 0;
}

}  // namespace

// Not inlined: GCC would see free() behind new, and take them for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (must_fail()) throw std::bad_alloc();
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

// As Asio allocates.
extern "C" [[gnu::noinline]] void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  void* memory = nullptr;
  return !must_fail() && ::posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

namespace weft::serve {
namespace {

class Memory : public ::testing::TestWithParam<Driver> {
 protected:
  void SetUp() override { is_spared = true; }
  void TearDown() override {
    allocations_left = -1;
    is_spared = false;
  }
};

// Whichever allocation it is that fails from the connection's first to its last.
TEST_P(Memory, ThatIsMissingCostsOneConnection) {
  StreamServer server(GetParam());
  const auto is_answered = [&] {
    Client client(server.address);
    client.send_anyway("GET /x HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    return is(client.receive(), "200", "/x");
  };
  ASSERT_TRUE(is_answered());
  int failed = 0;
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    allocations_left = i;
    failed += is_answered() ? 0 : 1;
    allocations_left = -1;
    ASSERT_TRUE(is_answered());
  }
  EXPECT_GE(failed, 1);
  while (server.server->totals().open != 0) std::this_thread::yield();
}

// The deadline comes when nobody asks for anything.
TEST_P(Memory, ThatIsMissingForARefusalCostsOneConnection) {
  ReactorLimits limits;
  limits.session.head_deadline = std::chrono::milliseconds{100};
  StreamServer server(GetParam(), limits);
  int failed = 0;
  for (int i = 0; i < 4 || (failed == 0 && i < 40); ++i) {  // who is late here sees none fail
    Client client(server.address);
    client.send("GET / HT");
    std::this_thread::sleep_for(std::chrono::milliseconds{20});  // it is read before
    allocations_left = i % 4;
    failed += client.receive().starts_with("HTTP/1.1 408") ? 0 : 1;
    allocations_left = -1;
  }
  EXPECT_GE(failed, 1);
  Client other(server.address);
  other.get("/x");
  EXPECT_TRUE(is(other.receive(), "200", "/x"));
}

INSTANTIATE_TEST_SUITE_P(Drivers, Memory, ::testing::ValuesIn(all_drivers), name_of);

}  // namespace
}  // namespace weft::serve
