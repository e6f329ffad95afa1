// SPDX-License-Identifier: Apache-2.0
// docs/guide/context.md: a thread_local that stands for the request is the next request's.
#include <weft/context.h>
#include <weft/pool.h>

#include <gtest/gtest.h>

#include <string>

namespace weft {
namespace {

thread_local std::string user_of_thread;
constexpr Ambient<std::string> user("user");

PoolOptions one_thread() {
  return {.policy = Policy::fixed, .minimum = 1, .maximum = 1, .cpus = 1};
}

// The first request says whose it is, the second is nobody's, and both are on one thread.
TEST(TheBug, AThreadLocalBleedsIntoTheNextRequest) {
  std::string seen;
  Pool pool(one_thread());
  pool.submit([] { user_of_thread = "ada"; });
  pool.submit([&] { seen = user_of_thread; });
  pool.drain();
  EXPECT_EQ(seen, "ada") << "the bug does not show any more, and the guide is wrong";
}

TEST(TheCure, AGuardGivesBackWhatWasBefore) {
  std::string seen;
  Pool pool(one_thread());
  pool.submit([] { const auto guard = user.set("ada"); });
  pool.submit([&] { seen = user.value_or("nobody"); });
  pool.drain();
  EXPECT_EQ(seen, "nobody");
}

// Work that goes on elsewhere: a thread_local does not come along.
TEST(TheBug, AThreadLocalStaysBehind) {
  std::string seen;
  Pool pool(one_thread());
  user_of_thread = "grace";
  pool.submit([&] { seen = user_of_thread; });
  pool.drain();
  EXPECT_NE(seen, "grace");
}

TEST(TheCure, AContextComesAlong) {
  std::string seen;
  Pool pool(one_thread());
  const auto guard = user.set("grace");
  pool.submit([&] { seen = user.value_or("nobody"); });
  pool.drain();
  EXPECT_EQ(seen, "grace");
}

}  // namespace
}  // namespace weft
