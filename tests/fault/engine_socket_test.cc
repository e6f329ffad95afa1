// SPDX-License-Identifier: Apache-2.0
// What sockets do that files do not: streams that end early, flags and time-outs, listeners.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

#include "sched/io.h"
#include "sched/poller.h"
#include "sockets.h"

namespace weft {
namespace {

// The two ends of a stream of either kind.
struct Stream {
  int sender = -1;
  int receiver = -1;
  explicit Stream(int domain) {
    if (domain == AF_UNIX) {
      int ends[2];
      EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
      sender = ends[0];
      receiver = ends[1];
    } else {
      Listener listener;
      sender = listener.connect();
      receiver = ::accept(listener.descriptor, nullptr, nullptr);
    }
  }
  ~Stream() {
    sched::close(sender);
    sched::close(receiver);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

class StreamTest : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Both, StreamTest, ::testing::Values(AF_INET, AF_UNIX),
                         [](const auto& info) { return info.param == AF_UNIX ? "Unix" : "Tcp"; });

void set_timeout(int descriptor, int option, std::chrono::microseconds time) {
  const timeval limit{.tv_sec = 0, .tv_usec = time.count()};
  ASSERT_EQ(::setsockopt(descriptor, SOL_SOCKET, option, &limit, sizeof(limit)), 0);
}

TEST(EngineSocketTest, AShortReadWhereDescriptorsWereSentAlongIsNotTheEnd) {
  sched::Runtime runtime({.workers = 1});
  Pair pair;
  long results[3] = {};
  Parking reader(runtime, [&] {
    char bytes[16];
    for (long& result : results) {
      result = sched::receive(pair.ends[0], bytes, sizeof(bytes), 0, in(1s));
    }
  });
  reader.await_parked();
  {
    const Busy busy(runtime);
    char control[CMSG_SPACE(sizeof(int))] = {};
    iovec vector{const_cast<char*>("aa"), 2};
    msghdr message{};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &pair.ends[1], sizeof(int));
    EXPECT_EQ(::sendmsg(pair.ends[1], &message, 0), 2);
    EXPECT_EQ(::sendmsg(pair.ends[1], &message, 0), 2);
    EXPECT_EQ(::write(pair.ends[1], "b", 1), 1);
  }
  reader.join();
  EXPECT_EQ(results[0], 2);
  EXPECT_EQ(results[1], 2);
  EXPECT_EQ(results[2], 1);
}

TEST_P(StreamTest, AShortReadAtUrgentDataIsNotTheEnd) {
  sched::Runtime runtime({.workers = 1});
  const Stream stream(GetParam());
  if (::send(Stream(GetParam()).sender, "!", 1, MSG_OOB) < 0) {
    GTEST_SKIP() << "this kernel has no urgent data in AF_UNIX";
  }
  long results[2] = {};
  Parking reader(runtime, [&] {
    char bytes[16];
    for (long& result : results) {
      result = sched::receive(stream.receiver, bytes, sizeof(bytes), 0, in(1s));
    }
  });
  reader.await_parked();
  {
    const Busy busy(runtime);
    EXPECT_EQ(::send(stream.sender, "ab", 2, 0), 2);
    EXPECT_EQ(::send(stream.sender, "!", 1, MSG_OOB), 1);
    EXPECT_EQ(::send(stream.sender, "cde", 3, 0), 3);
    std::this_thread::sleep_for(30ms);  // the monitor polls, and no edge is left for later
  }
  reader.join();
  EXPECT_EQ(results[0], 2);
  EXPECT_EQ(results[1], 3);
}

// A stream without such things: what is known to be drained is not asked, and still nothing lost.
TEST_P(StreamTest, ManySmallMessagesAllArrive) {
  sched::Runtime runtime({.workers = 2});
  const Stream stream(GetParam());
  constexpr long count = 20'000;
  long total = 0;
  Joinable reader(runtime, [&] {
    char bytes[64];
    for (;;) {
      const long result = sched::receive(stream.receiver, bytes, sizeof(bytes), 0, in(5s));
      if (result <= 0) break;
      total += result;
    }
  });
  Joinable writer(runtime, [&] {
    for (long i = 0; i < count; ++i) EXPECT_EQ(sched::send(stream.sender, "x", 1, 0), 1);
    ::shutdown(stream.sender, SHUT_WR);
  });
  writer.join();
  reader.join();
  EXPECT_EQ(total, count);
}

// Its peer always answers before it asks. What came for somebody else is looked for meanwhile.
TEST(EngineSocketTest, WhoNeverHasToWaitLetsOthersHearOfTheirs) {
  sched::RuntimeOptions options{.workers = 1};
  options.monitor.tick = 10s;  // it would look, some time
  sched::Runtime runtime(options);
  Pair busy(SOCK_DGRAM), rare;
  constexpr int most_messages = 10;  // what a queue of datagrams holds
  std::atomic<bool> heard{false};
  Parking patient(runtime, [&] {
    char byte = 0;
    EXPECT_EQ(sched::receive(rare.ends[0], &byte, 1, 0), 1);
    heard = true;
  });
  patient.await_parked();
  int calls = 0;
  Joinable(runtime, [&] {
    sched::be_away(fiber::self());
    os::call(SYS_write, rare.ends[1], "x", 1);  // as somebody outside would
    for (char byte = 0; !heard && calls < 100 * most_messages; ++calls) {
      if (calls % most_messages == 0) {
        for (int i = 0; i < most_messages; ++i) os::call(SYS_write, busy.ends[1], "x", 1);
      }
      EXPECT_EQ(sched::receive(busy.ends[0], &byte, 1, 0), 1);
    }
  }).join();
  EXPECT_TRUE(heard);
  EXPECT_LT(calls, 100);
  patient.join();
}

TEST(EngineSocketTest, FlagsThatSayNotToWaitAreKept) {
  sched::Runtime runtime({.workers = 1});
  Pair pair;
  const int datagrams = ::socket(AF_INET, SOCK_DGRAM, 0);
  Joinable(runtime, [&] {
    char byte = 0;
    const os::Instant deadline = in(1s);
    EXPECT_EQ(sched::receive(pair.ends[0], &byte, 1, MSG_DONTWAIT, deadline), -EAGAIN);
    EXPECT_EQ(sched::receive(datagrams, &byte, 1, MSG_ERRQUEUE, deadline), -EAGAIN);
    long result = 0;
    const std::vector<char> much(1 << 16, 'm');
    do {
      result = sched::send(pair.ends[0], much.data(), much.size(), MSG_DONTWAIT, deadline);
    } while (result > 0);
    EXPECT_EQ(result, -EAGAIN);
    EXPECT_LT(os::MonotonicClock::now(), deadline);
  }).join();
  ::close(datagrams);
}

TEST(EngineSocketTest, WaitAllWaitsForAll) {
  sched::Runtime runtime({.workers = 1});
  Pair pair;
  Pair datagrams(SOCK_DGRAM);
  long results[3] = {};
  char bytes[8] = {};
  Parking reader(runtime, [&] {
    results[0] = sched::receive(pair.ends[0], bytes, 6, MSG_WAITALL);
    results[1] = sched::receive(pair.ends[0], bytes + 6, 2, MSG_WAITALL);
    results[2] = sched::receive(datagrams.ends[0], bytes + 6, 2, MSG_WAITALL);
  });
  for (const char* const piece : {"ab", "cd", "ef"}) {
    reader.await_parked();
    EXPECT_EQ(::write(pair.ends[1], piece, 2), 2);
    std::this_thread::sleep_for(2ms);
  }
  EXPECT_EQ(::write(pair.ends[1], "g", 1), 1);
  ::shutdown(pair.ends[1], SHUT_WR);
  EXPECT_EQ(::write(datagrams.ends[1], "h", 1), 1);
  reader.join();
  EXPECT_EQ(results[0], 6);
  EXPECT_EQ(results[1], 1);
  EXPECT_EQ(results[2], 1);
  EXPECT_EQ(std::string_view(bytes, 6), "abcdef");
}

TEST(EngineSocketTest, TimeOutsOfSocketsAreKept) {
  sched::Runtime runtime({.workers = 1});
  Pair pair;
  Listener listener;
  Joinable(runtime, [&] {
    char byte = 0;
    const std::function<long()> calls[] = {
        [&] { return sched::receive(pair.ends[0], &byte, 1, 0, in(2s)); },
        [&] { return sched::read(pair.ends[0], &byte, 1); },
        [&] { return sched::accept(listener.descriptor, nullptr, nullptr, 0, in(2s)); },
    };
    set_timeout(pair.ends[0], SO_RCVTIMEO, 20ms);
    set_timeout(listener.descriptor, SO_RCVTIMEO, 20ms);
    for (const auto& call : calls) {
      const os::Instant begin = os::MonotonicClock::now();
      EXPECT_EQ(call(), -EAGAIN);
      EXPECT_GE(os::MonotonicClock::now() - begin, 20ms);
      EXPECT_LT(os::MonotonicClock::now() - begin, 1s);
    }
    set_timeout(pair.ends[0], SO_SNDTIMEO, 20ms);
    const std::vector<char> much(4 << 20, 'm');
    const long sent = sched::send(pair.ends[0], much.data(), much.size(), 0, in(2s));
    EXPECT_GT(sent, 0);
    EXPECT_LT(sent, 4 << 20);
    EXPECT_EQ(sched::write(pair.ends[0], much.data(), much.size()), -EAGAIN);
  }).join();
}

// Who must not wait does not, and what it has done so far counts.
TEST(EngineSocketTest, WhatDoesNotBlockIsNotWaitedFor) {
  sched::Runtime runtime({.workers = 1});
  Pair pair(SOCK_STREAM | SOCK_NONBLOCK);
  Listener listener;
  ASSERT_EQ(::fcntl(listener.descriptor, F_SETFL, O_NONBLOCK), 0);
  Joinable(runtime, [&] {
    char byte = 0;
    EXPECT_EQ(sched::receive(pair.ends[0], &byte, 1, 0, in(2s)), -EAGAIN);
    EXPECT_EQ(sched::read(pair.ends[0], &byte, 1), -EAGAIN);
    EXPECT_EQ(sched::accept(listener.descriptor, nullptr, nullptr, 0, in(2s)), -EAGAIN);
    const std::vector<char> much(4 << 20, 'm');
    const long sent = sched::send(pair.ends[0], much.data(), much.size(), 0, in(2s));
    EXPECT_GT(sent, 0);
    EXPECT_LT(sent, 4 << 20);
    EXPECT_EQ(sched::write(pair.ends[0], much.data(), much.size()), -EAGAIN);
  }).join();
}

// That a socket has no time-out is remembered; that it is given one later is noticed, also where it
// is set through another number.
TEST(EngineSocketTest, ATimeOutThatIsSetLaterIsKept) {
  sched::Runtime runtime({.workers = 1});
  Pair pair;
  const int duplicate = ::dup(pair.ends[0]);
  char byte = 0;
  Parking reader(runtime, [&] { sched::receive(pair.ends[0], &byte, 1, 0, in(2s)); });
  reader.await_parked();
  EXPECT_EQ(::write(pair.ends[1], "x", 1), 1);
  reader.join();
  const timeval limit{.tv_sec = 0, .tv_usec = 20'000};
  EXPECT_EQ(sched::set_option(duplicate, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
  Joinable(runtime, [&] {
    const os::Instant begin = os::MonotonicClock::now();
    EXPECT_EQ(sched::receive(pair.ends[0], &byte, 1, 0, in(2s)), -EAGAIN);
    EXPECT_LT(os::MonotonicClock::now() - begin, 1s);
  }).join();
  ::close(duplicate);
}

TEST(EngineSocketTest, AcceptOfWhatDoesNotListenIsAnError) {
  sched::Runtime runtime({.workers = 1});
  Listener listener;
  const int client = listener.connect();
  Joinable(runtime, [&] {
    EXPECT_EQ(sched::accept(client, nullptr, nullptr, 0, in(1s)), -EINVAL);
  }).join();
  ::close(client);
}

// The carrier blocks signals: one that it gets would stay with it for ever.
TEST(EngineSocketTest, ASendToAClosedPeerLeavesNoSignal) {
  sched::Runtime runtime({.workers = 1});
  Pair pair;
  sched::close(pair.ends[1]);
  pair.ends[1] = -1;
  Joinable(runtime, [&] {
    sched::be_away(fiber::self());
    EXPECT_EQ(sched::send(pair.ends[0], "x", 1, 0), -EPIPE);
    EXPECT_EQ(sched::send(pair.ends[0], "x", 1, MSG_DONTWAIT), -EPIPE);
    std::uint64_t pending = 0;
    EXPECT_EQ(os::call(SYS_rt_sigpending, &pending, sizeof(pending)), 0);
    EXPECT_EQ(pending & std::uint64_t{1} << (SIGPIPE - 1), 0U);
  }).join();
}

TEST(EngineSocketTest, WhoTakesFromAClosedFileDoesNotHoldUpTheNext) {
  os::Epoll epoll;
  sched::Poller poller(epoll);
  Pair pair;
  const auto old = poller.begin_taking(pair.ends[0]);
  ASSERT_TRUE(old);
  EXPECT_FALSE(poller.begin_taking(pair.ends[0]));
  poller.begin_close(pair.ends[0]);
  poller.end_close(pair.ends[0]);
  const auto next = poller.begin_taking(pair.ends[0]);
  ASSERT_TRUE(next);
  poller.end_taking(pair.ends[0], *old, true);
  EXPECT_FALSE(poller.begin_taking(pair.ends[0]));
  poller.end_taking(pair.ends[0], *next, true);
  EXPECT_TRUE(poller.begin_taking(pair.ends[0]));
}

// One who takes is woken for what may be left; a poll, which takes nothing, does not count as one.
TEST(EngineSocketTest, WhoHasTakenWakesOneWhoTakes) {
  sched::Runtime runtime({.workers = 1});
  sched::Poller& poller = runtime.poller();
  Pair pair;
  std::atomic<int> woken{0};
  std::deque<Parking> waiters;
  for (int i = 0; i < 2; ++i) {
    waiters.emplace_back(runtime, [&] {
      const sched::Edge before = poller.look(pair.ends[0], Direction::read);
      if (poller.wait(pair.ends[0], Direction::read, before, in(2s)) == sched::Waited::ready) {
        ++woken;
      }
    });
    waiters.back().await_parked();
  }
  waiters.emplace_back(runtime, [&] {
    pollfd wanted{.fd = pair.ends[0], .events = POLLIN, .revents = 0};
    sched::poll(&wanted, 1, in(200ms));
  });
  waiters.back().await_parked();
  for (int taken = 1; taken <= 2; ++taken) {
    const auto generation = poller.begin_taking(pair.ends[0]);
    ASSERT_TRUE(generation);
    poller.end_taking(pair.ends[0], *generation, true);
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(woken, taken);
  }
  for (Parking& waiter : waiters) waiter.join();
}

// One wakes the next: none is left waiting while there is a connection, also by those who give up.
TEST(EngineSocketTest, EveryAcceptorGetsAConnection) {
  sched::Runtime runtime({.workers = 2});
  for (int round = 0; round < 50; ++round) {
    Listener listener;
    constexpr std::size_t count = 16;
    std::atomic<std::size_t> served{0};
    std::atomic<std::size_t> taken_by_hasty{0};
    const auto take = [&](std::chrono::nanoseconds patience, std::atomic<std::size_t>& counter) {
      const long made = sched::accept(listener.descriptor, nullptr, nullptr, 0, in(patience));
      if (made < 0) return false;
      sched::close(static_cast<int>(made));
      ++counter;
      return true;
    };
    std::deque<Parking> acceptors;
    for (std::size_t i = 0; i < count; ++i) {
      acceptors.emplace_back(runtime, [&] { EXPECT_TRUE(take(5s, served)); });
    }
    Joinable hasty(runtime, [&] {
      while (served < count) take(50us, taken_by_hasty);
    });
    // Hears of connections, and takes none.
    Joinable idle(runtime, [&] {
      pollfd wanted{.fd = listener.descriptor, .events = POLLIN, .revents = 0};
      while (served < count) {
        sched::poll(&wanted, 1, in(1ms));
        sched::sleep_until(in(100us));
      }
    });
    std::vector<int> made;
    for (const os::Instant end = in(5s); served < count && os::MonotonicClock::now() < end;) {
      if (made.size() < count + taken_by_hasty) made.push_back(listener.connect());
    }
    for (Parking& acceptor : acceptors) acceptor.join();
    served = count;
    hasty.join();
    idle.join();
    for (const int descriptor : made) ::close(descriptor);
  }
}

}  // namespace
}  // namespace weft
