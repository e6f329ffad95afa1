// SPDX-License-Identifier: Apache-2.0
// How a cancel is sent, sent again, withdrawn, and given up; on a server that is not there.
#include "sql/interruption.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <latch>
#include <memory>
#include <random>
#include <semaphore>
#include <thread>

namespace weft::sql {
namespace {

using namespace std::chrono_literals;
using Outcome = Interruption::Outcome;

// Two ends of a connection; the server's end sees what becomes of the client's.
struct Line {
  Line() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0); }
  ~Line() {
    for (const int end : ends) ::close(end);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  std::array<int, 2> ends{};
};

class FakeTarget final : public CancelTarget {
 public:
  FakeTarget(int socket, std::function<bool()> send)
      : CancelTarget(socket), send_(std::move(send)) {}
  bool send() noexcept override {
    ++sends;
    return send_();
  }
  std::atomic<int> sends{0};

 private:
  const std::function<bool()> send_;
};

class InterruptionTest : public testing::Test {
 protected:
  std::shared_ptr<FakeTarget> target(std::function<bool()> send) const {
    return std::make_shared<FakeTarget>(line.ends[0], std::move(send));
  }
  // Waits until the other end sees that the socket was shut down.
  void wait_for_end() const {
    char byte = 0;
    EXPECT_EQ(::read(line.ends[1], &byte, 1), 0);
  }
  Line line;
  Helpers helpers{1};
  CancelSource source;
};

TEST_F(InterruptionTest, WithoutACancelTouchesNothing) {
  const auto fake = target([] { return true; });
  Interruption interruption(helpers, fake, source.token(), 1h);
  EXPECT_EQ(interruption.settle(), Outcome::untouched);
  EXPECT_TRUE(interruption.finish());
  source.cancel(CancelReason::client);
  EXPECT_EQ(fake->sends, 0);
  EXPECT_FALSE(fake->has_hung_up());
}

TEST_F(InterruptionTest, WaitsUntilTheCancelHasBeenSent) {
  std::latch sending(1);
  std::binary_semaphore may_end(0);
  std::atomic<bool> is_sent{false};
  const auto fake = target([&] {
    sending.count_down();
    may_end.acquire();
    is_sent = true;
    return true;
  });
  Interruption interruption(helpers, fake, source.token(), 1h);
  source.cancel(CancelReason::client);
  sending.wait();
  std::thread server([&] { may_end.release(); });
  EXPECT_EQ(interruption.settle(), Outcome::sent);
  EXPECT_TRUE(is_sent);
  EXPECT_TRUE(interruption.finish());
  server.join();
}

TEST_F(InterruptionTest, WithdrawsWhatNobodyHasTaken) {
  std::latch busy(1);
  std::binary_semaphore may_end(0);
  helpers.post([&] {
    busy.count_down();
    may_end.acquire();
  });
  busy.wait();
  const auto fake = target([] { return true; });
  {
    Interruption interruption(helpers, fake, source.token(), 1h);
    source.cancel(CancelReason::client);
    EXPECT_EQ(interruption.settle(), Outcome::untouched);
    EXPECT_TRUE(interruption.finish());
  }
  may_end.release();
  std::latch after(1);
  helpers.post([&] { after.count_down(); });
  after.wait();
  EXPECT_EQ(fake->sends, 0);
}

TEST_F(InterruptionTest, SendsAgainWhileTheStatementGoesOn) {
  std::latch thrice(3);
  std::atomic<int> left{3};
  const auto fake = target([&] {
    if (left-- > 0) thrice.count_down();
    return true;
  });
  Interruption interruption(helpers, fake, source.token(), 1h);
  source.cancel(CancelReason::deadline);
  thrice.wait();
  EXPECT_EQ(interruption.settle(), Outcome::sent);
  const int sends = fake->sends;
  EXPECT_TRUE(interruption.finish());
  std::latch after(1);
  helpers.post([&] { after.count_down(); });  // the helper is free, and has sent no more
  after.wait();
  EXPECT_EQ(fake->sends, sends);
}

TEST_F(InterruptionTest, DoesNotTrustAConnectionWhoseCancelFailed) {
  const auto fake = target([] { return false; });
  Interruption interruption(helpers, fake, source.token(), 1h);
  source.cancel(CancelReason::client);
  while (fake->sends == 0) std::this_thread::yield();
  EXPECT_EQ(interruption.settle(), Outcome::unknown);
  EXPECT_FALSE(interruption.finish());
}

TEST_F(InterruptionTest, ShutsTheSocketWhenTheGraceIsOver) {
  std::latch sending(1);
  std::binary_semaphore may_end(0);
  const auto fake = target([&] {
    sending.count_down();
    may_end.acquire();
    return true;
  });
  {
    Interruption interruption(helpers, fake, source.token(), 10ms);
    source.cancel(CancelReason::client);
    sending.wait();
    wait_for_end();
    EXPECT_TRUE(fake->has_hung_up());
    EXPECT_EQ(interruption.settle(), Outcome::unknown);
    EXPECT_FALSE(interruption.finish());
  }
  may_end.release();  // by now it is nobody's
  std::latch after(1);
  helpers.post([&] { after.count_down(); });
  after.wait();
}

TEST_F(InterruptionTest, OfATokenThatWasCancelledBeginsAtOnce) {
  source.cancel(CancelReason::shutdown);
  const auto fake = target([] { return true; });
  Interruption interruption(helpers, fake, source.token(), 1h);
  while (fake->sends == 0) std::this_thread::yield();
  EXPECT_EQ(interruption.settle(), Outcome::sent);
}

// The invariant: where the outcome is known, no cancel is under way after settle().
TEST_F(InterruptionTest, NeverSendsIntoTheNextStatement) {
  constexpr int rounds = 2000;
  std::minstd_rand random(1);
  std::atomic<bool> is_in_statement{false};
  std::atomic<int> strays{0};
  const auto look = [&] {
    if (!is_in_statement) ++strays;
  };
  const auto fake = target([&] {
    look();
    std::this_thread::yield();
    look();
    return true;
  });
  int sent = 0;
  int untouched = 0;
  for (int round = 0; round < rounds; ++round) {
    CancelSource own;
    std::atomic<bool> begins{false};
    std::thread canceller([&, spins = random() % 200] {
      while (!begins) std::this_thread::yield();
      for (unsigned spin = 0; spin < spins; ++spin) std::this_thread::yield();
      own.cancel(CancelReason::client);
    });
    is_in_statement = true;
    Interruption interruption(helpers, fake, own.token(), 1h);
    begins = true;
    for (unsigned spin = 0; spin < random() % 200; ++spin) std::this_thread::yield();
    const Outcome outcome = interruption.settle();
    is_in_statement = false;
    EXPECT_TRUE(interruption.finish());
    EXPECT_NE(outcome, Outcome::unknown);
    (outcome == Outcome::sent ? sent : untouched) += 1;
    canceller.join();
  }
  EXPECT_EQ(strays, 0);
  EXPECT_GT(sent, 0);
  EXPECT_GT(untouched, 0);
}

TEST(HelpersTest, DropWhatHasNotBegunWhenTheyGo) {
  std::atomic<int> done{0};
  std::latch running(1);
  {
    Helpers helpers(1);
    std::binary_semaphore may_end(0);
    helpers.post([&] {
      running.count_down();
      may_end.acquire();
      ++done;
    });
    running.wait();
    helpers.post([&] { done += 10; });
    may_end.release();
  }
  EXPECT_TRUE(done == 1 || done == 11) << done;
}

TEST(HelpersTest, AreAsManyAsThereIsToDo) {
  Helpers helpers(3);
  std::latch together(3);
  std::latch done(3);
  for (int number = 0; number < 3; ++number) {
    helpers.post([&] {
      together.arrive_and_wait();
      done.count_down();
    });
  }
  done.wait();
}

}  // namespace
}  // namespace weft::sql
