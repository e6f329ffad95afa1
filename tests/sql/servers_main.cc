// SPDX-License-Identifier: Apache-2.0
// Starts the servers, runs the contract against each, and ends them. Exit 77: none is installed.
#include <gtest/gtest.h>

#include <cstdio>
#include <exception>

#include "tests/sql/servers.h"

namespace weft::sql::test {
namespace {

struct Installed {
  std::vector<std::unique_ptr<Server>> owned;
  std::vector<Server*> servers;
  std::vector<Backend*> backends;

  void add(std::unique_ptr<Server> server, const char* package) {
    if (server == nullptr) {
      std::fprintf(stderr, "not installed, so not tested: Debian's package %s\n", package);
      return;
    }
    servers.push_back(server.get());
    backends.push_back(server.get());
    owned.push_back(std::move(server));
  }
};

Installed& installed() {
  static Installed all;
  return all;
}

}  // namespace

const std::vector<Backend*>& backends() {
  return installed().backends;
}

const std::vector<Server*>& servers() {
  return installed().servers;
}

}  // namespace weft::sql::test

int main(int count, char** words) {
  using namespace weft::sql::test;
  try {
    installed().add(make_postgresql(), "postgresql");
    installed().add(make_mariadb(), "mariadb-server-core");
    if (servers().empty()) return 77;
    for (Server* const server : servers()) server->start();
    testing::InitGoogleTest(&count, words);
    const int code = RUN_ALL_TESTS();
    for (Server* const server : servers()) server->stop();
    return code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
