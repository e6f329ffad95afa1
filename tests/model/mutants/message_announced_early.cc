// SPDX-License-Identifier: Apache-2.0
// Mutant: a message that is announced before it is whole.
#include <gtest/gtest.h>

#include "mutants/mutant.h"
#include "programs/message.h"

namespace weft::model {
namespace {

struct AnnounceEarly {
  static void send(Message& message) {
    message.first.store(1, std::memory_order_relaxed);
    message.announced.store(true, std::memory_order_release);
    message.second.store(2, std::memory_order_relaxed);
  }
};

TEST(MessageAnnouncedEarly, IsCaught) {
  expect_caught({.planted = "a message that is announced before it is whole",
                 .found_as = {"the second part is missing"},
                 .body = message<AnnounceEarly>});
}

}  // namespace
}  // namespace weft::model
