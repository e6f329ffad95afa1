// SPDX-License-Identifier: Apache-2.0
// Who is on the other side, as handlers and the log are told, by each driver.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "serve/access_log.h"
#include "serve/test_streams.h"

namespace weft::serve {
namespace {

using namespace std::chrono_literals;

class Peers : public ::testing::TestWithParam<Driver> {
 protected:
  Peers() {
    char name[] = "/tmp/weft-peers-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~Peers() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

// Of IPv6 limits count networks, and nobody else does.
TEST_P(Peers, AreNamedByTheirWholeAddress) {
  const char* const place = "[::1]:0";
  if (!net::listen_on(*net::Address::parse(place))) GTEST_SKIP() << "there is no IPv6 here";
  const std::string path = folder_ / "log";
  auto log = AccessLog::open({.path = path});
  ASSERT_TRUE(log) << log.error().message;
  {
    StreamServer server(GetParam(), {}, log->get(), place);
    Client client(server.address);
    client.get("/peer");
    EXPECT_TRUE(is(client.receive(), "200", "::1"));
  }
  ASSERT_TRUE((*log)->finish(20s));
  std::string line;
  std::getline(std::ifstream(path), line);
  EXPECT_TRUE(line.starts_with("::1 - - [")) << line;
}

INSTANTIATE_TEST_SUITE_P(Drivers, Peers, ::testing::ValuesIn(all_drivers), name_of);

}  // namespace
}  // namespace weft::serve
