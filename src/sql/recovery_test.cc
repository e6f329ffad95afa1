// SPDX-License-Identifier: Apache-2.0
// How a session is brought back, given up, and lost; on a server that is not there.
#include "sql/recovery.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>
#include <weft/sql.h>

#include <array>
#include <atomic>
#include <functional>
#include <latch>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

namespace weft::sql {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

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

// Its statement ends when end() says so, or its socket is shut down.
class FakeSession final : public RecoverableSession {
 public:
  explicit FakeSession(CancelTarget& target) : target_(target) {}

  Answer read_until(Instant until) noexcept override {
    is_used = true;
    Answer answer = Answer::pending;
    do {
      if (target_.has_hung_up()) answer = Answer::lost;
      if (has_ended) answer = Answer::whole;
      if (answer == Answer::pending) std::this_thread::yield();
    } while (answer == Answer::pending && Clock::now() < until);
    is_used = false;
    return answer;
  }
  bool take_leftover(Instant) noexcept override {
    ++leftovers;
    return true;
  }
  bool roll_back(Instant) noexcept override {
    ++rollbacks;
    return true;
  }

  std::atomic<bool> has_ended{false};
  std::atomic<bool> is_used{false};
  std::atomic<int> leftovers{0};
  std::atomic<int> rollbacks{0};

 private:
  CancelTarget& target_;
};

class RecoveryTest : public testing::Test {
 protected:
  std::shared_ptr<FakeTarget> target(std::function<bool()> send) const {
    return std::make_shared<FakeTarget>(line.ends[0], std::move(send));
  }
  Line line;
  const std::shared_ptr<Helpers> helpers = std::make_shared<Helpers>(1);
};

TEST_F(RecoveryTest, OfNothingIsOver) {
  Recovery recovery(helpers, 1h);
  EXPECT_FALSE(recovery.is_under_way());
  EXPECT_FALSE(recovery.is_lost());
  EXPECT_TRUE(recovery.wait(CancelToken()));
  EXPECT_FALSE(recovery.roll_back());
  EXPECT_FALSE(recovery.then([] {}));
  recovery.give_up();
}

TEST_F(RecoveryTest, SendsTheCancelAndTakesWhatIsLeftOfIt) {
  FakeSession* statement = nullptr;
  const auto fake = target([&] {
    statement->has_ended = true;
    return true;
  });
  FakeSession session(*fake);
  statement = &session;
  Recovery recovery(helpers, 1h);
  recovery.begin(fake, session);
  EXPECT_TRUE(recovery.wait(CancelToken()));
  EXPECT_FALSE(recovery.is_lost());
  EXPECT_EQ(fake->sends, 1);
  EXPECT_EQ(session.leftovers, 1);
  EXPECT_EQ(session.rollbacks, 0);
}

TEST_F(RecoveryTest, OfWhatHasEndedMeanwhileSendsNothing) {
  const auto fake = target([] { return true; });
  FakeSession session(*fake);
  session.has_ended = true;
  Recovery recovery(helpers, 1h);
  recovery.begin(fake, session);
  EXPECT_TRUE(recovery.wait(CancelToken()));
  EXPECT_EQ(fake->sends, 0);
  EXPECT_EQ(session.leftovers, 0);
}

// A server forgets a cancel that comes before the statement does.
TEST_F(RecoveryTest, SendsAgainWhileTheStatementGoesOn) {
  FakeSession* statement = nullptr;
  int left = 3;
  const auto fake = target([&] {
    if (--left == 0) statement->has_ended = true;
    return true;
  });
  FakeSession session(*fake);
  statement = &session;
  Recovery recovery(helpers, 1h);
  recovery.begin(fake, session);
  EXPECT_TRUE(recovery.wait(CancelToken()));
  EXPECT_EQ(fake->sends, 3);
  EXPECT_EQ(session.leftovers, 1);
}

TEST_F(RecoveryTest, DoesNotTrustASessionWhoseCancelFailed) {
  const auto fake = target([] { return false; });
  FakeSession session(*fake);
  Recovery recovery(helpers, 1h);
  recovery.begin(fake, session);
  EXPECT_TRUE(recovery.wait(CancelToken()));
  EXPECT_TRUE(recovery.is_lost());
  try {
    recovery.wait_or_throw(CancelToken());
    FAIL() << "it was not lost";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
  }
}

// Whoever is to follow does so before the helper is free again, and on another thread.
TEST_F(RecoveryTest, IsLostWhenTheGraceIsOverAlthoughTheCancelHangs) {
  std::binary_semaphore may_end(0);
  const auto fake = target([&] {
    may_end.acquire();
    return true;
  });
  FakeSession session(*fake);
  Recovery recovery(helpers, 20ms);
  recovery.begin(fake, session);
  std::latch followed(1);
  if (!recovery.then([&] { followed.count_down(); })) followed.count_down();
  EXPECT_TRUE(recovery.wait(CancelToken()));
  EXPECT_TRUE(recovery.is_lost());
  followed.wait();
  char byte = 0;
  EXPECT_EQ(::read(line.ends[1], &byte, 1), 0);  // the socket is shut down
  may_end.release();
  std::latch free(1);
  helpers->post([&] { free.count_down(); });  // the helper has done with all of this
  free.wait();
}

TEST_F(RecoveryTest, IsLostWhenTheStatementDoesNotEnd) {
  const auto fake = target([] { return true; });
  FakeSession session(*fake);
  Recovery recovery(helpers, 20ms);
  recovery.begin(fake, session);
  EXPECT_TRUE(recovery.wait(CancelToken()));
  EXPECT_TRUE(recovery.is_lost());
}

TEST_F(RecoveryTest, IsLeftAloneByTheGraceOnceItIsOver) {
  const auto fake = target([] { return true; });
  FakeSession session(*fake);
  session.has_ended = true;
  Recovery recovery(helpers, 20ms);
  recovery.begin(fake, session);
  EXPECT_TRUE(recovery.wait(CancelToken()));
  const CancelSource later(Clock::now() + 40ms);  // whose deadline is kept by the same thread
  while (!later.token().is_cancelled()) std::this_thread::yield();
  EXPECT_FALSE(recovery.is_lost());
  EXPECT_FALSE(fake->has_hung_up());
}

TEST_F(RecoveryTest, RollsBackWhatItIsAskedTo) {
  const auto fake = target([] { return true; });
  FakeSession session(*fake);
  Recovery recovery(helpers, 1h);
  recovery.begin(fake, session);
  EXPECT_TRUE(recovery.roll_back());
  session.has_ended = true;
  EXPECT_TRUE(recovery.wait(CancelToken()));
  EXPECT_EQ(session.rollbacks, 1);
  EXPECT_FALSE(recovery.roll_back());
}

TEST_F(RecoveryTest, IsNotWaitedForBeyondTheToken) {
  const auto fake = target([] { return true; });
  FakeSession session(*fake);
  Recovery recovery(helpers, 1h);
  recovery.begin(fake, session);
  const CancelSource soon(Clock::now() + 5ms);
  EXPECT_FALSE(recovery.wait(soon.token()));
  EXPECT_TRUE(recovery.is_under_way());
  session.has_ended = true;
  EXPECT_TRUE(recovery.wait(CancelToken()));
}

TEST_F(RecoveryTest, ThatIsGivenUpLeavesTheSessionAlone) {
  for (int round = 0; round < 100; ++round) {
    const Line own;
    const auto fake = std::make_shared<FakeTarget>(own.ends[0], [] { return true; });
    auto session = std::make_unique<FakeSession>(*fake);
    Recovery recovery(helpers, 1h);
    recovery.begin(fake, *session);
    if (round % 2 == 0) std::this_thread::yield();
    recovery.give_up();
    EXPECT_FALSE(recovery.is_under_way());
    EXPECT_FALSE(session->is_used);
    session.reset();
    while (fake->sends == 0) std::this_thread::yield();  // the server does not work for nobody
  }
}

// The invariant: who has waited for it finds that no cancel is under way, and none will be.
TEST_F(RecoveryTest, NeverSendsIntoTheNextStatement) {
  constexpr int rounds = 500;
  std::atomic<bool> is_in_statement{false};
  std::atomic<int> strays{0};
  const auto look = [&] { strays += is_in_statement ? 0 : 1; };
  const auto fake = target([&] {
    look();
    std::this_thread::yield();
    look();
    return true;
  });
  FakeSession session(*fake);
  Recovery recovery(helpers, 1h);
  for (int round = 0; round < rounds; ++round) {
    is_in_statement = true;
    const bool had_ended = round % 3 == 0;
    session.has_ended = had_ended;
    const int sends = fake->sends;
    recovery.begin(fake, session);
    for (int spin = 0; spin < round % 50; ++spin) std::this_thread::yield();
    session.has_ended = true;
    ASSERT_TRUE(recovery.wait(CancelToken()));
    is_in_statement = false;
    ASSERT_FALSE(recovery.is_lost());
    if (had_ended) {
      ASSERT_EQ(fake->sends, sends);
    }
  }
  EXPECT_EQ(strays, 0);
  EXPECT_GT(fake->sends, 0);
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

TEST(HelpersTest, DoWhatIsApartWhileTheyHang) {
  Helpers helpers(1);
  std::binary_semaphore may_end(0);
  helpers.post([&] { may_end.acquire(); });
  std::latch done(1);
  helpers.post_apart([&] { done.count_down(); });
  done.wait();
  may_end.release();
}

// The last who holds them may be what they run.
TEST(HelpersTest, MayGoOnAThreadOfTheirOwn) {
  for (int round = 0; round < 20; ++round) {
    std::latch gone(1);
    auto helpers = std::make_shared<Helpers>(1);
    std::binary_semaphore is_last(0);
    helpers->post([&is_last, &gone, own = helpers]() mutable {
      is_last.acquire();
      const auto began = Clock::now();
      own.reset();
      EXPECT_LT(Clock::now() - began, 2s) << "it has waited for itself, as long as it ever waits";
      gone.count_down();
    });
    helpers.reset();
    is_last.release();
    gone.wait();
  }
}

}  // namespace
}  // namespace weft::sql
