// SPDX-License-Identifier: Apache-2.0
// Input and output of fibers does what the system calls do, also where that is hard: closes,
// numbers that come again, flags and time-outs of sockets, files and FIFOs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "os/epoll.h"
#include "os/system_call.h"
#include "sched/io.h"
#include "sched/monitor.h"
#include "sched/poller.h"
#include "sched/runtime.h"
#include "sched/sites.h"
#include "sched/thread.h"
#include "stress/fibers.h"

namespace weft {
namespace {

using namespace std::chrono_literals;
using sched::Direction;
using stress::Joinable;

os::Instant in(std::chrono::nanoseconds time) {
  return os::MonotonicClock::now() + time;
}

// Two ends of a connection, which are closed at last by what knows of waiters.
struct Pair {
  int ends[2] = {-1, -1};
  explicit Pair(int type = SOCK_STREAM) { EXPECT_EQ(::socketpair(AF_UNIX, type, 0, ends), 0); }
  ~Pair() {
    for (const int end : ends) sched::close(end);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
};

struct Listener {
  int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  Listener() {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof(address);
    EXPECT_EQ(::bind(descriptor, generic(), bytes), 0);
    EXPECT_EQ(::listen(descriptor, 64), 0);
    EXPECT_EQ(::getsockname(descriptor, generic(), &bytes), 0);
  }
  ~Listener() { sched::close(descriptor); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&address); }
  int connect() {
    const int made = ::socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(::connect(made, generic(), sizeof(address)), 0);
    return made;
  }
};

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

// A fiber that somebody else has to see parked.
class Parking {
 public:
  Parking(sched::Runtime& runtime, std::function<void()> function)
      : fiber_(runtime, [this, function = std::move(function)] {
          self_ = &fiber::self();
          function();
        }) {}
  void await_parked() {
    while (self_ == nullptr || self_.load()->place != fiber::Place::parked) {
      std::this_thread::yield();
    }
  }
  void join() { fiber_.join(); }

 private:
  std::atomic<fiber::Fiber*> self_{nullptr};
  Joinable fiber_;
};

// Keeps the only worker busy, so that what happens meanwhile is one edge.
class Busy {
 public:
  explicit Busy(sched::Runtime& runtime)
      : fiber_(runtime, [this] {
          runs_ = true;
          while (!stop_) {
          }
        }) {
    while (!runs_) std::this_thread::yield();
  }
  ~Busy() {
    stop_ = true;
    fiber_.join();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic<bool> runs_{false};
  std::atomic<bool> stop_{false};
  Joinable fiber_;
};

void set_timeout(int descriptor, int option, std::chrono::microseconds time) {
  const timeval limit{.tv_sec = 0, .tv_usec = time.count()};
  ASSERT_EQ(::setsockopt(descriptor, SOL_SOCKET, option, &limit, sizeof(limit)), 0);
}

TEST(EngineIoTest, ACloseByAThreadThatIsNoFiberIsTold) {
  sched::Runtime runtime({.workers = 1});
  Pair old;
  long result = 0;
  char byte = 0;
  Parking reader(runtime, [&] { result = sched::receive(old.ends[0], &byte, 1, 0, in(5s)); });
  reader.await_parked();
  EXPECT_EQ(sched::close(old.ends[0]), 0);
  reader.join();
  EXPECT_EQ(result, -EBADF);

  // And the number, as it comes again, is registered anew.
  Pair next;
  EXPECT_EQ(next.ends[0], old.ends[0]);
  Parking next_reader(runtime, [&] { result = sched::receive(next.ends[0], &byte, 1, 0, in(5s)); });
  next_reader.await_parked();
  EXPECT_EQ(::write(next.ends[1], "x", 1), 1);
  next_reader.join();
  EXPECT_EQ(result, 1);
  old.ends[0] = -1;
}

TEST(EngineIoTest, ACloseByAFiberOfAnotherRuntimeIsTold) {
  sched::Runtime runtime({.workers = 1});
  sched::Runtime other({.workers = 1});
  Pair pair;
  long result = 0;
  Parking reader(runtime, [&] {
    char byte = 0;
    result = sched::receive(pair.ends[0], &byte, 1, 0, in(5s));
  });
  reader.await_parked();
  Joinable(other, [&] { EXPECT_EQ(sched::close(pair.ends[0]), 0); }).join();
  reader.join();
  EXPECT_EQ(result, -EBADF);
  pair.ends[0] = -1;
}

// Runtimes come and go while others close.
TEST(EngineIoTest, ClosesAgainstTheEndOfAPoller) {
  std::atomic<bool> stop{false};
  std::thread closer([&] {
    while (!stop) sched::close(::dup(0));
  });
  for (int i = 0; i < 300; ++i) {
    os::Epoll epoll;
    const sched::Poller poller(epoll);
    const sched::Poller another(epoll);
  }
  stop = true;
  closer.join();
}

// The child has the parent's epoll, too.
TEST(EngineIoTest, ACloseInAChildIsNoneOfTheParents) {
  sched::Runtime runtime({.workers = 1});
  Pair pair;
  long result = 0;
  Parking reader(runtime, [&] {
    char byte = 0;
    result = sched::receive(pair.ends[0], &byte, 1, 0, in(5s));
  });
  reader.await_parked();
  const pid_t child = ::fork();
  if (child == 0) {
    sched::close(pair.ends[0]);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(::write(pair.ends[1], "x", 1), 1);
  reader.join();
  EXPECT_EQ(result, 1);
}

// Woken for the old file, which is another by the time that the fiber runs.
TEST(EngineIoTest, AWokenReaderDoesNotReadTheNextFile) {
  sched::Runtime runtime({.workers = 1});
  Pair old;
  Pair next;
  long result = 0;
  char bytes[8] = {};
  Parking reader(runtime, [&] { result = sched::read(old.ends[0], bytes, sizeof(bytes)); });
  reader.await_parked();
  Joinable(runtime, [&] {
    sched::be_away(fiber::self());
    EXPECT_EQ(::write(old.ends[1], "old", 3), 3);
    // The monitor polls in the place of the worker, and the reader gets ready.
    const os::Instant end = in(30ms);
    while (os::MonotonicClock::now() < end) {
    }
    sched::Poller::begin_close_everywhere(old.ends[0]);
    EXPECT_EQ(::dup2(next.ends[0], old.ends[0]), old.ends[0]);
    sched::Poller::end_close_everywhere(old.ends[0]);
    EXPECT_EQ(::write(next.ends[1], "secret", 6), 6);
  }).join();
  reader.join();
  EXPECT_EQ(result, -EBADF);
  EXPECT_STREQ(bytes, "");
}

TEST(EngineIoTest, ASenderStopsWhereItsFileEnds) {
  sched::Runtime runtime({.workers = 1});
  Pair old;
  Pair next;
  const std::vector<char> much(4 << 20, 'x');
  long result = 0;
  Parking sender(runtime, [&] { result = sched::send(old.ends[0], much.data(), much.size(), 0); });
  sender.await_parked();
  sched::Poller::begin_close_everywhere(old.ends[0]);
  EXPECT_EQ(::dup2(next.ends[0], old.ends[0]), old.ends[0]);
  sched::Poller::end_close_everywhere(old.ends[0]);
  sender.join();
  EXPECT_GT(result, 0);
  EXPECT_LT(result, static_cast<long>(much.size()));
  char byte = 0;
  EXPECT_EQ(::recv(next.ends[1], &byte, 1, MSG_DONTWAIT), -1);
}

// Before the first wait there is nothing about a number, and it may come again.
TEST(EngineIoTest, ANumberThatWasOnlyLookedAtHasItsGenerations) {
  os::Epoll epoll;
  sched::Poller poller(epoll);
  Pair pair;
  const sched::Edge before = poller.look(pair.ends[0], Direction::read);
  poller.begin_close(pair.ends[0]);
  poller.end_close(pair.ends[0]);
  EXPECT_NE(poller.look(pair.ends[0], Direction::read).generation, before.generation);
}

TEST(EngineIoTest, AShortReadWhereDescriptorsWereSentAlongIsNotTheEnd) {
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

struct File {
  std::string path;
  int descriptor;
  explicit File(std::size_t bytes) : path(::testing::TempDir() + "engine_io_XXXXXX") {
    descriptor = ::mkstemp(path.data());
    EXPECT_GE(descriptor, 0);
    const std::vector<char> content(bytes, 'c');
    EXPECT_EQ(::write(descriptor, content.data(), bytes), static_cast<ssize_t>(bytes));
  }
  ~File() {
    sched::close(descriptor);
    ::unlink(path.c_str());
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
};

// Only the first page is in the cache, as far as the file system lets us say so.
TEST(EngineIoTest, AReadOfAFileIsNotShortInTheMiddle) {
  constexpr long bytes = 256 * 1024;
  const File file(bytes);
  ::fsync(file.descriptor);
  ::posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED);
  ::posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_RANDOM);
  std::vector<char> content(bytes + 100);
  EXPECT_EQ(::pread(file.descriptor, content.data(), 4096, 0), 4096);
  ::lseek(file.descriptor, 0, SEEK_SET);
  sched::Runtime runtime({.workers = 1});
  Joinable(runtime, [&] {
    EXPECT_EQ(sched::read(file.descriptor, content.data(), content.size()), bytes);
    EXPECT_EQ(sched::read(file.descriptor, content.data(), 1), 0);
  }).join();
}

long trips_by(std::string_view site) {
  long trips = 0;
  for (std::size_t i = 0; i < sched::Sites::most_sites; ++i) {
    const auto& entry = sched::trips_home().at(i);
    const char* const name = entry.name.load();
    if (name != nullptr && name == site) trips += static_cast<long>(entry.count.load());
  }
  return trips;
}

TEST(EngineIoTest, TheEndOfAFileIsFoundWithoutATripHome) {
  const File file(1000);
  char content[2000];
  // Where the file system has no reads that do not block, each goes home.
  const iovec vector{content, sizeof(content)};
  if (::preadv2(file.descriptor, &vector, 1, 0, RWF_NOWAIT) != 1000) GTEST_SKIP();
  sched::Runtime runtime({.workers = 1});
  Joinable(runtime, [&] {
    const long before = trips_by("pread");
    EXPECT_EQ(sched::read_at(file.descriptor, content, sizeof(content), 0), 1000);
    EXPECT_EQ(sched::read_at(file.descriptor, content, sizeof(content), 1000), 0);
    EXPECT_EQ(trips_by("pread"), before);
    EXPECT_EQ(sched::read_at(file.descriptor, content, sizeof(content), -1), -EINVAL);
  }).join();
}

TEST(EngineIoTest, FilesWithoutReadsThatDoNotBlockAreReadAtHome) {
  sched::Runtime runtime({.workers = 1});
  const int status = ::open("/proc/self/status", O_RDONLY);
  char content[64];
  Joinable(runtime, [&] {
    const long before = trips_by("file");
    EXPECT_EQ(sched::read(status, content, sizeof(content)), 64);
    EXPECT_GT(trips_by("file"), before);
  }).join();
  ::close(status);
}

TEST(EngineIoTest, AFileIsWrittenWhole) {
  const File file(0);
  const std::vector<char> much(1 << 20, 'm');
  sched::Runtime runtime({.workers = 1});
  Joinable(runtime, [&] {
    EXPECT_EQ(sched::write(file.descriptor, much.data(), much.size()), 1 << 20);
  }).join();
  EXPECT_EQ(::lseek(file.descriptor, 0, SEEK_END), 1 << 20);
}

// A FIFO knows no writes that do not block, and blocks for more than fits although it is ready.
TEST(EngineIoTest, AWriteToAFifoDoesNotBlockTheCarrier) {
  const std::string path = ::testing::TempDir() + "engine_io_fifo." + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int fifo = ::open(path.c_str(), O_RDWR);
  ::unlink(path.c_str());
  sched::Runtime runtime({.workers = 1});
  const std::vector<char> much(1 << 20, 'm');
  long written = 0;
  Parking writer(runtime, [&] { written = sched::write(fifo, much.data(), much.size()); });
  writer.await_parked();
  EXPECT_EQ(runtime.monitor()->relieved(), 0);
  std::vector<char> content(1 << 20);
  for (std::size_t got = 0; got < content.size();) {
    const ssize_t result = ::read(fifo, content.data() + got, content.size() - got);
    ASSERT_GT(result, 0);
    got += static_cast<std::size_t>(result);
  }
  writer.join();
  EXPECT_EQ(written, 1 << 20);
  EXPECT_EQ(content, much);
  sched::close(fifo);
}

TEST(EngineIoTest, FlagsThatSayNotToWaitAreKept) {
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

TEST(EngineIoTest, WaitAllWaitsForAll) {
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

TEST(EngineIoTest, TimeOutsOfSocketsAreKept) {
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

// That a socket has no time-out is remembered; that it is given one later is noticed, also where it
// is set through another number.
TEST(EngineIoTest, ATimeOutThatIsSetLaterIsKept) {
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

TEST(EngineIoTest, PollKnowsTheOtherNamesOfReadiness) {
  sched::Runtime runtime({.workers = 1});
  Pair pair;
  pollfd wanted{.fd = pair.ends[0], .events = POLLRDNORM, .revents = 0};
  long result = 0;
  Parking poller(runtime, [&] { result = sched::poll(&wanted, 1, in(2s)); });
  poller.await_parked();
  const os::Instant begin = os::MonotonicClock::now();
  EXPECT_EQ(::write(pair.ends[1], "x", 1), 1);
  poller.join();
  EXPECT_LT(os::MonotonicClock::now() - begin, 1s);
  EXPECT_EQ(result, 1);
  EXPECT_EQ(wanted.revents, POLLRDNORM);
}

// Epoll refuses an epoll that has others in it too deep.
TEST(EngineIoTest, WhatEpollHasNoRoomForIsPolledAtHome) {
  sched::Runtime runtime({.workers = 1});
  const int event = ::eventfd(0, 0);
  std::vector<int> nested{event};
  for (int depth = 0; depth < 5; ++depth) {
    const int outer = ::epoll_create1(0);
    epoll_event events{.events = EPOLLIN, .data = {}};
    ASSERT_EQ(::epoll_ctl(outer, EPOLL_CTL_ADD, nested.back(), &events), 0);
    nested.push_back(outer);
  }
  pollfd wanted{.fd = nested.back(), .events = POLLIN, .revents = 0};
  long result = 0;
  std::atomic<bool> begins{false};
  Joinable poller(runtime, [&] {
    begins = true;
    result = sched::poll(&wanted, 1, in(2s));
  });
  while (!begins) std::this_thread::yield();
  std::this_thread::sleep_for(20ms);
  const os::Instant begin = os::MonotonicClock::now();
  const std::uint64_t one = 1;
  EXPECT_EQ(::write(event, &one, sizeof(one)), 8);
  poller.join();
  EXPECT_LT(os::MonotonicClock::now() - begin, 1s);
  EXPECT_EQ(result, 1);
  for (const int descriptor : nested) ::close(descriptor);
}

TEST(EngineIoTest, WhoTakesFromAClosedFileDoesNotHoldUpTheNext) {
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
TEST(EngineIoTest, WhoHasTakenWakesOneWhoTakes) {
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
TEST(EngineIoTest, EveryAcceptorGetsAConnection) {
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

TEST(EngineIoTest, AcceptOfWhatDoesNotListenIsAnError) {
  sched::Runtime runtime({.workers = 1});
  Listener listener;
  const int client = listener.connect();
  Joinable(runtime, [&] {
    EXPECT_EQ(sched::accept(client, nullptr, nullptr, 0, in(1s)), -EINVAL);
  }).join();
  ::close(client);
}

// The carrier blocks signals: one that it gets would stay with it for ever.
TEST(EngineIoTest, ASendToAClosedPeerLeavesNoSignal) {
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

}  // namespace
}  // namespace weft
