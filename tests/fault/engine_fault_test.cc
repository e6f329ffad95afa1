// SPDX-License-Identifier: Apache-2.0
// What the engine does when the system refuses: an error for what can be expected, a clear end
// else.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <thread>

#include "os/epoll.h"
#include "sched/io.h"
#include "sched/runtime.h"
#include "sched/thread.h"
#include "stress/fibers.h"

namespace weft {
namespace {

using stress::Joinable;

void leave_no_descriptors() {
  const rlimit none{.rlim_cur = 3, .rlim_max = 3};  // both: the engine raises what it may
  ::setrlimit(RLIMIT_NOFILE, &none);
}

TEST(EngineFaultDeathTest, WithoutDescriptorsTheRuntimeSaysWhatToDo) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        leave_no_descriptors();
        const sched::Runtime runtime({.workers = 1});
      },
      "no descriptor left for epoll; raise `ulimit -n`");
}

// As the filters of some containers do with what they do not know.
TEST(EngineFaultDeathTest, AFilterThatRefusesTheNewestWaitLeavesTheOldOne) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto wait_filtered = [] {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_pwait2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{.len = 4, .filter = filter};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
      ::_exit(0);  // no filters here
    }
    os::Epoll epoll;
    os::Epoll::Event events[os::Epoll::most_events];
    const os::Instant deadline = os::MonotonicClock::now() + std::chrono::milliseconds{20};
    const std::size_t count = epoll.wait(events, deadline);
    ::_exit(count == 0 && os::MonotonicClock::now() >= deadline ? 0 : 1);
  };
  EXPECT_EXIT(wait_filtered(), ::testing::ExitedWithCode(0), "");
}

TEST(EngineFaultTest, AThreadThatCannotBeMadeIsAnError) {
  sched::Runtime runtime({.workers = 1});
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, std::size_t{1} << 46);
  sched::Thread* thread = nullptr;
  const auto function = [](void*) -> void* { return nullptr; };
  EXPECT_EQ(sched::spawn(runtime, &attributes, function, nullptr, &thread), EAGAIN);
  EXPECT_EQ(thread, nullptr);
  ::pthread_attr_destroy(&attributes);
  Joinable(runtime, [] {}).join();  // and the runtime is as good as before
}

TEST(EngineFaultTest, BadDescriptorsAreErrors) {
  sched::Runtime runtime({.workers = 1});
  Joinable(runtime, [] {
    char byte = 0;
    EXPECT_EQ(sched::receive(-1, &byte, 1, 0), -EBADF);
    EXPECT_EQ(sched::read(999, &byte, 1), -EBADF);
    EXPECT_EQ(sched::read(100'000'000, &byte, 1), -EBADF);
    EXPECT_EQ(sched::close(999), -EBADF);
    EXPECT_EQ(sched::accept(0, nullptr, nullptr, 0, os::MonotonicClock::now()), -ENOTSOCK);
  }).join();
}

TEST(EngineFaultTest, WaitersHearOfACloseByAnother) {
  sched::Runtime runtime({.workers = 2});
  for (int i = 0; i < 200; ++i) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    long result = 0;
    Joinable reader(runtime, [&] {
      char byte = 0;
      result = sched::receive(ends[0], &byte, 1, 0);
    });
    Joinable closer(runtime, [&] {
      if (i % 2 == 0) sched::sleep_until(os::MonotonicClock::now() + std::chrono::microseconds{i});
      sched::close(ends[0]);
    });
    reader.join();
    closer.join();
    EXPECT_EQ(result, -EBADF);
    ::close(ends[1]);
  }
}

// The number comes again at once, as another file: who waited for the old one never sees the new.
TEST(EngineFaultTest, ANumberThatComesAgainIsAnotherFile) {
  sched::Runtime runtime({.workers = 2});
  for (int i = 0; i < 200; ++i) {
    int old_ends[2];
    int new_ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, old_ends), 0);
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, new_ends), 0);
    long old_result = 0;
    std::atomic<fiber::Fiber*> waiting{nullptr};
    Joinable old_reader(runtime, [&] {
      char byte = 0;
      waiting = &fiber::self();
      old_result = sched::receive(old_ends[0], &byte, 1, 0);
    });
    while (waiting == nullptr || waiting.load()->place != fiber::Place::parked) {
      std::this_thread::yield();
    }
    Joinable replacer(runtime, [&] {
      sched::Poller& poller = fiber::self().runtime->poller();
      poller.begin_close(old_ends[0]);
      EXPECT_EQ(::dup2(new_ends[0], old_ends[0]), old_ends[0]);
      poller.end_close(old_ends[0]);
      char byte = 0;
      EXPECT_EQ(sched::receive(old_ends[0], &byte, 1, 0), 1);
      EXPECT_EQ(byte, 'n');
    });
    old_reader.join();
    EXPECT_EQ(old_result, -EBADF);
    EXPECT_EQ(::write(new_ends[1], "n", 1), 1);
    replacer.join();
    for (const int end : {old_ends[0], old_ends[1], new_ends[0], new_ends[1]}) ::close(end);
  }
}

void connect_by_tcp(int (&ends)[2]) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener, generic, bytes), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, generic, &bytes), 0);
  ends[1] = ::socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(::connect(ends[1], generic, bytes), 0);
  ends[0] = ::accept(listener, nullptr, nullptr);
  ::close(listener);
}

// The bytes and the end arrive while nobody polls, and are one edge.
TEST(EngineFaultTest, AnEndThatComesWithTheLastBytesIsSeen) {
  sched::Runtime runtime({.workers = 1});
  int ends[2];
  connect_by_tcp(ends);
  std::atomic<fiber::Fiber*> waiting{nullptr};
  std::atomic<bool> spins{false};
  std::atomic<bool> stop{false};
  long results[2] = {-1, -1};
  Joinable reader(runtime, [&] {
    char bytes[16];
    waiting = &fiber::self();
    for (long& result : results) result = sched::receive(ends[0], bytes, sizeof(bytes), 0);
  });
  while (waiting == nullptr || waiting.load()->place != fiber::Place::parked) {
    std::this_thread::yield();
  }
  Joinable spinner(runtime, [&] {
    spins = true;
    while (!stop) {
    }
  });
  while (!spins) std::this_thread::yield();
  EXPECT_EQ(::write(ends[1], "x", 1), 1);
  EXPECT_EQ(::shutdown(ends[1], SHUT_WR), 0);
  stop = true;
  reader.join();
  spinner.join();
  EXPECT_EQ(results[0], 1);
  EXPECT_EQ(results[1], 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(EngineFaultTest, DeadlinesOfReadsAreKept) {
  sched::Runtime runtime({.workers = 1});
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  Joinable(runtime, [&] {
    char byte = 0;
    const os::Instant deadline = os::MonotonicClock::now() + std::chrono::milliseconds{5};
    EXPECT_EQ(sched::receive(ends[0], &byte, 1, 0, deadline), -EAGAIN);
    EXPECT_GE(os::MonotonicClock::now(), deadline);
    EXPECT_EQ(::write(ends[1], "x", 1), 1);
    EXPECT_EQ(sched::receive(ends[0], &byte, 1, 0), 1);
  }).join();
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace weft
