// SPDX-License-Identifier: Apache-2.0
// Mutant: a ticket is taken in two steps.
#include <gtest/gtest.h>

#include "mutants/mutant.h"
#include "programs/mutex.h"
#include "programs/ticket_lock.h"

namespace weft::model {
namespace {

struct LoadAndStore {
  static int take(atomic<int>& next) {
    const int ticket = next.load();
    next.store(ticket + 1);
    return ticket;
  }
};

TEST(TicketTakenTwice, IsCaught) {
  expect_caught(
      {.planted = "a ticket is taken in two steps",
       .found_as = {"two threads hold the lock", "live-lock"},
       .body = [](Program& program) { exclusion<TicketLock<LoadAndStore>>(program, 2); }});
}

}  // namespace
}  // namespace weft::model
