// SPDX-License-Identifier: Apache-2.0
// A routine is called once, whatever happens in it.
#include "sync/once.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "sync/test_threads.h"

namespace weft::sync {
namespace {

using testing::run_together;
using testing::TestThread;

std::atomic<int> calls{0};
int written = 0;
std::atomic<bool> may_return{true};

void routine() {
  ++calls;
  ++written;
  testing::eventually([] { return may_return.load(); });
}

void throwing_routine() {
  if (++calls < 4) throw std::runtime_error("not yet");
}

TEST(OnceTest, CallsOnce) {
  calls = 0;
  written = 0;
  pthread_once_t object = PTHREAD_ONCE_INIT;
  run_together(4, [&](int) {
    EXPECT_EQ(as_once(&object).call(routine), 0);
    EXPECT_EQ(written, 1) << "everybody sees what it did";
  });
  EXPECT_EQ(calls.load(), 1);
  EXPECT_EQ(object, 2) << "as libc says it";
}

TEST(OnceTest, OthersWaitForIt) {
  calls = 0;
  may_return = false;
  pthread_once_t object = PTHREAD_ONCE_INIT;
  TestThread first([&] { as_once(&object).call(routine); });
  testing::eventually([] { return calls.load() == 1; });
  TestThread second([&] {
    as_once(&object).call(routine);
    EXPECT_TRUE(may_return.load());
  });
  second.wait_until_parked(&object);
  may_return = true;
  first.join();
  second.join();
  EXPECT_EQ(calls.load(), 1);
}

TEST(OnceTest, AfterAnExceptionTheNextOneTries) {
  for (int round = 0; round < 100; ++round) {
    calls = 0;
    std::atomic<int> thrown{0};
    pthread_once_t object = PTHREAD_ONCE_INIT;
    run_together(6, [&](int) {
      try {
        as_once(&object).call(throwing_routine);
      } catch (const std::runtime_error&) {
        ++thrown;
      }
    });
    EXPECT_EQ(thrown.load(), 3);
    EXPECT_EQ(calls.load(), 4);
  }
}

TEST(OnceTest, AChildDoesWhatItsParentHasBegun) {
  calls = 0;
  may_return = false;
  pthread_once_t object = PTHREAD_ONCE_INIT;
  TestThread parents([&] { as_once(&object).call(routine); });
  testing::eventually([] { return calls.load() == 1; });
  EXPECT_TRUE(testing::holds_in_child([&] {
    may_return = true;
    return as_once(&object).call(routine) == 0 && calls.load() == 2 && object == 2;
  }));
  may_return = true;
}

}  // namespace
}  // namespace weft::sync
