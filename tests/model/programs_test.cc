// SPDX-License-Identifier: Apache-2.0
// Programs that are right pass: all their schedules within a bound, and many at random.
#include <gtest/gtest.h>

#include "expect_pass.h"
#include "model/model.h"
#include "programs/counter.h"
#include "programs/dekker.h"
#include "programs/event.h"
#include "programs/idle.h"
#include "programs/message.h"
#include "programs/mutex.h"
#include "programs/stack.h"
#include "programs/ticket_lock.h"

namespace weft::model {
namespace {

TEST(Programs, CounterPasses) {
  expect_all_pass({}, counter<>);
}
TEST(Programs, DekkerPassesExhaustively) {
  expect_all_pass({}, dekker<>);
}
TEST(Programs, DekkerPassesAtRandom) {
  expect_random_pass(100'000, dekker<>);
}
TEST(Programs, MessagePasses) {
  expect_all_pass({}, message<>);
}
TEST(Programs, IdlePassesExhaustively) {
  expect_all_pass({}, idle<>);
}
TEST(Programs, IdlePassesAtRandom) {
  expect_random_pass(100'000, idle<>);
}
TEST(Programs, EventPassesExhaustively) {
  expect_all_pass({}, event<>);
}
TEST(Programs, EventPassesAtRandom) {
  expect_random_pass(100'000, event<>);
}
TEST(Programs, StackPasses) {
  expect_all_pass({}, stack<>);
}

void mutex_of_three(Program& program) {
  exclusion<Mutex<>>(program, 3);
}
TEST(Programs, MutexPassesExhaustively) {
  expect_all_pass(3, mutex_of_three);
}
TEST(Programs, MutexPassesAtRandom) {
  expect_random_pass(100'000, mutex_of_three);
}

void ticket_lock_of_two(Program& program) {
  exclusion<TicketLock<>>(program, 2);
}
void ticket_lock_of_three(Program& program) {
  exclusion<TicketLock<>>(program, 3);
}
TEST(Programs, TicketLockPassesExhaustively) {
  expect_all_pass({}, ticket_lock_of_two);
}
TEST(Programs, TicketLockPassesAtRandom) {
  expect_random_pass(100'000, ticket_lock_of_three);
}

}  // namespace
}  // namespace weft::model
