// SPDX-License-Identifier: Apache-2.0
// A call's ticket when its turn comes late: before its handler, or in the queue of a pool.
#include "grpc/call_ticket.h"

#include <gtest/gtest.h>

#include <chrono>

#include "admission/gate.h"

namespace weft::grpc {
namespace {

using admission::Gate;
using Why = weft::Refusal;  // and not this namespace's own
using namespace std::chrono_literals;

class LateTicket : public testing::Test {
 protected:
  // While it sheds, whoever has waited at all is late; while it does not, nobody is.
  void shed(bool sheds) {
    gate.set_plan({}, 1000ms, sheds ? -1ns : std::chrono::nanoseconds::max());
  }
  CallTicket ticket() {
    EXPECT_TRUE(gate.admit(Priority::normal).admission.admitted());
    return {control, Ticket(gate, Priority::normal)};
  }
  static JobTimes now() {
    const auto instant = std::chrono::steady_clock::now();
    return {instant, instant};
  }

  AdmissionControl control{{.cpus = 1, .watches_pressure = false}};
  Gate gate{{}, 1};
};

TEST_F(LateTicket, IsRefusedBeforeTheHandlerRuns) {
  const CallTicket one = ticket();
  EXPECT_TRUE(one.look().admitted());
  EXPECT_EQ(gate.occupancy().waiting, 1U);  // it has only been looked at
  shed(true);
  const Admission admission = one.look();
  EXPECT_EQ(admission.refusal, Why::queue_delay);
  EXPECT_GT(admission.retry_after, 0ms);
  EXPECT_EQ(gate.occupancy().in_flight, 0U);
  one.end();
  EXPECT_EQ(gate.refused(Priority::normal, Why::queue_delay), 1U);
  EXPECT_EQ(gate.admitted(Priority::normal), 0U);
}

TEST_F(LateTicket, IsRefusedWhenAPoolComesToIt) {
  const CallTicket one = ticket();
  one.queued();
  one.handler_waits();
  EXPECT_EQ(gate.occupancy().waiting, 1U);
  shed(true);
  EXPECT_FALSE(one.begins(now()));
  EXPECT_EQ(one.refusal().refusal, Why::queue_delay);
  EXPECT_EQ(gate.occupancy().in_flight, 0U);
  EXPECT_FALSE(one.begins(now()));  // a handler that tries again is no less late
}

// What is half done is done: the client would have to begin anew.
TEST_F(LateTicket, IsNotRefusedOnceItIsUnderWay) {
  const CallTicket one = ticket();
  one.queued();
  EXPECT_TRUE(one.begins(now()));
  shed(true);
  EXPECT_TRUE(one.begins(now()));
  EXPECT_TRUE(one.look().admitted());
  EXPECT_TRUE(one.refusal().admitted());
  EXPECT_EQ(gate.occupancy().in_flight, 1U);
  one.end();
  EXPECT_EQ(gate.occupancy().in_flight, 0U);
  EXPECT_TRUE(one.begins(now()));  // what the handler has left behind is no call's any more
}

}  // namespace
}  // namespace weft::grpc
