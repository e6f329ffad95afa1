// SPDX-License-Identifier: Apache-2.0
// Mutant: a ticket number that is skipped, so that its successor spins for ever.
#include <gtest/gtest.h>

#include "mutants/mutant.h"
#include "programs/mutex.h"
#include "programs/ticket_lock.h"

namespace weft::model {
namespace {

struct SkipOne {
  static int take(atomic<int>& next) {
    const int ticket = next.fetch_add(1);
    return ticket == 0 ? 0 : ticket + 1;
  }
};

TEST(TicketNeverServed, IsCaught) {
  expect_caught({.planted = "a ticket number that is skipped",
                 .found_as = {"live-lock"},
                 .body = [](Program& program) { exclusion<TicketLock<SkipOne>>(program, 2); }});
}

}  // namespace
}  // namespace weft::model
