// SPDX-License-Identifier: Apache-2.0
// A context never bleeds: requests hop over pools, fibers and coroutines. With gRPC among them:
// context_grpc_test.cc, which ThreadSanitizer does not see.
#include "tests/kit/hops_test.h"

namespace weft::kit {
namespace {

TEST(Context, NeverBleeds) {
  const std::uint64_t seed = seed_of_today();
  Hops hops({.seed = seed});
  run_and_expect_no_bleeding(hops, number_of("WEFT_KIT_REQUESTS", is_sanitized ? 2'000 : 20'000),
                             seed);
}

}  // namespace
}  // namespace weft::kit
