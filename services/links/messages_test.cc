// SPDX-License-Identifier: Apache-2.0
// Messages say what links are.
#include "messages.h"

#include <gtest/gtest.h>

#include "failure.h"

namespace links {
namespace {

using namespace std::chrono_literals;

TEST(Messages, AreReadWithWhatIsMissing) {
  weft::links::v1::CreateRequest request;
  request.set_url("http://a");
  NewLink wanted = read(request);
  EXPECT_EQ(wanted.url, "http://a");
  EXPECT_EQ(wanted.key, std::nullopt);
  EXPECT_EQ(wanted.expires_in_s, std::nullopt);
  EXPECT_EQ(wanted.idempotency_key, std::nullopt);
  request.set_key("");
  request.set_idempotency_key("order-17");
  request.mutable_expires_in()->set_seconds(60);
  wanted = read(request);
  EXPECT_EQ(wanted.key, "");  // which the rules refuse
  EXPECT_EQ(wanted.expires_in_s, 60);
  EXPECT_EQ(wanted.idempotency_key, "order-17");
  request.mutable_expires_in()->set_nanos(1);
  EXPECT_THROW(read(request), Failure);
}

TEST(Messages, AreWrittenToTheMillisecond) {
  weft::links::v1::Link message;
  write({"k", "http://a", Instant(1'700'000'000'007ms), Instant(1'700'000'060'007ms), 3}, message);
  EXPECT_EQ(message.key(), "k");
  EXPECT_EQ(message.url(), "http://a");
  EXPECT_EQ(message.created().seconds(), 1'700'000'000);
  EXPECT_EQ(message.created().nanos(), 7'000'000);
  EXPECT_EQ(message.expires().seconds(), 1'700'000'060);
  EXPECT_EQ(message.visits(), 3);
  weft::links::v1::Link forever;
  write({"k", "http://a", Instant(), std::nullopt, 0}, forever);
  EXPECT_FALSE(forever.has_expires());
}

}  // namespace
}  // namespace links
