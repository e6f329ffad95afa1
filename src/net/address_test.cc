// SPDX-License-Identifier: Apache-2.0
// Addresses as people write them.
#include "net/address.h"

#include <gtest/gtest.h>

#include <string>

namespace weft::net {
namespace {

TEST(AddressTest, WhatIsReadIsWrittenTheSame) {
  for (const char* const text : {"127.0.0.1:8080", "[::1]:80", "*:0", "0.0.0.0:65535",
                                 "unix:/run/weft.socket", "[2001:db8::7]:443"}) {
    const auto address = Address::parse(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->text(), text);
    EXPECT_EQ(Address(address->get(), address->bytes()).text(), text);
  }
  EXPECT_EQ(Address::parse("localhost:1")->text(), "127.0.0.1:1");
}

TEST(AddressTest, WhatIsNoneSaysHowOneLooks) {
  const std::string long_path(200, 'x');
  for (const std::string& text :
       {std::string{}, std::string{"8080"}, std::string{"127.0.0.1"}, std::string{"127.0.0.1:"},
        std::string{"127.0.0.1:65536"}, std::string{"127.0.0.1:-1"}, std::string{"127.0.0.1:8o"},
        std::string{"::1:80"}, std::string{"example.org:80"}, std::string{":80"},
        std::string{"unix:"}, "unix:" + long_path, std::string{"[127.0.0.1]x:80"}}) {
    const auto address = Address::parse(text);
    ASSERT_FALSE(address) << text;
    EXPECT_NE(address.error().message.find("127.0.0.1:8080"), std::string::npos);
  }
}

TEST(AddressTest, OnlyLoopbackIsLoopback) {
  for (const char* const text : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "unix:/x"}) {
    EXPECT_TRUE(Address::parse(text)->is_loopback()) << text;
  }
  for (const char* const text : {"*:1", "0.0.0.0:1", "10.0.0.1:1", "[2001:db8::1]:1"}) {
    EXPECT_FALSE(Address::parse(text)->is_loopback()) << text;
  }
}

TEST(AddressTest, APeerOfIpv6HasItsNetwork) {
  const Peer peer = Address::parse("[2001:db8:1:2:3:4:5:6]:1")->peer();
  EXPECT_EQ(peer.host, "2001:db8:1:2:3:4:5:6");
  EXPECT_EQ(peer.network, "2001:db8:1:2::");
  for (const std::string host : {"::ffff:10.0.0.1", "10.0.0.1"}) {
    const std::string text = host.find(':') == std::string::npos ? host : "[" + host + "]";
    EXPECT_EQ(Address::parse(text + ":1")->peer().host, host);
    EXPECT_EQ(Address::parse(text + ":1")->peer().network, host);
  }
  EXPECT_EQ(Address::parse("unix:/x")->peer().host, "unix");
  EXPECT_EQ(Address::parse("unix:/x")->peer().network, "unix");
}

}  // namespace
}  // namespace weft::net
