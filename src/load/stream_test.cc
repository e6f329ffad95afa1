// SPDX-License-Identifier: Apache-2.0
// What is begun for TLS.
#include "load/stream.h"

#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include <cstdio>
#include <cstdlib>

namespace weft::load {
namespace {

// Threads may still use it.
TEST(LoadTlsTest, OpenSslIsNotCleanedUpWhenTheProcessEnds) {
  EXPECT_EXIT(
      {
        if (!TlsContext::make(true, "")) std::_Exit(1);
        OPENSSL_atexit([] { std::fputs("cleaned up", stderr); });
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace weft::load
