// SPDX-License-Identifier: Apache-2.0
// Deadlines of clients, and what is left of them.
#include "service/client_deadline.h"

#include <gtest/gtest.h>
#include <weft/cancel.h>
#include <weft/service.h>

#include "wire/timeout.h"

namespace weft::service {
namespace {

using namespace std::chrono_literals;

TEST(ClientDeadline, WhatIsLeftIsToldToOthers) {
  EXPECT_FALSE(remaining_timeout());
  const CancelSource source(CancelSource::Watched(), std::chrono::steady_clock::now() + 1h);
  const auto guard = set_cancellation(source.token());
  const auto text = remaining_timeout();
  ASSERT_TRUE(text);
  const auto left = wire::parse_timeout(*text);
  ASSERT_TRUE(left);
  EXPECT_LE(*left, 1h);
  EXPECT_GT(*left, 30min);
}

}  // namespace
}  // namespace weft::service
