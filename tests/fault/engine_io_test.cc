// SPDX-License-Identifier: Apache-2.0
// Input and output of fibers does what the system calls do, also where that is hard: closes,
// numbers that come again, flags and time-outs of sockets, files and FIFOs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "os/epoll.h"
#include "os/system_call.h"
#include "sched/files.h"
#include "sched/io.h"
#include "sched/poller.h"
#include "sched/sites.h"
#include "sockets.h"

namespace weft {
namespace {

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

}  // namespace
}  // namespace weft
