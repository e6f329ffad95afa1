// SPDX-License-Identifier: Apache-2.0
// A response counts once it is whole.
#include "load.h"

#include <gtest/gtest.h>

namespace weft::demo {
namespace {

TEST(Load, AResponseIsWholeWithItsBody) {
  EXPECT_TRUE(is_whole_response("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"));
  EXPECT_FALSE(is_whole_response("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"));
  EXPECT_FALSE(is_whole_response("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n"));
  EXPECT_FALSE(is_whole_response("HTTP/1.1 200 OK\r\n\r\nabc"));
  EXPECT_FALSE(is_whole_response("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nabc"));
  EXPECT_FALSE(is_whole_response(""));
}

TEST(Load, NoServerIsAnError) {
  LoadOptions options;
  options.socket_path = "/nonexistent/socket";
  EXPECT_FALSE(generate_load(options));
  options.socket_path = std::string(200, 'x');
  EXPECT_FALSE(generate_load(options));
}

}  // namespace
}  // namespace weft::demo
