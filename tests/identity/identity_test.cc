// SPDX-License-Identifier: Apache-2.0
// What belongs to a thread belongs to the fiber, after thousands of moves between kernel threads.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "os/system_call.h"
#include "sched/park.h"
#include "sched/thread.h"
#include "stress/fibers.h"

namespace weft {
namespace {

using stress::Joinable;

constexpr int fibers = 32;
constexpr int moves_each = 400;
constexpr std::uint32_t workers = 4;

std::atomic<int> moves{0};

// Continues on another worker.
void move() {
  const long before = os::call(SYS_gettid);
  sched::Runtime& runtime = *fiber::self().runtime;
  sched::be_away(fiber::self());
  const std::uint32_t here = fiber::self().carried_by()->worker.load()->index;
  sched::pin_to(&runtime.worker_at((here + 1) % workers));
  if (os::call(SYS_gettid) != before) ++moves;
}

// Runs the function in many fibers, which move about all the time.
void run(const std::function<void(int)>& function) {
  moves = 0;
  {
    sched::Runtime runtime({.workers = workers});
    std::vector<std::unique_ptr<Joinable>> all;
    for (int i = 0; i < fibers; ++i) {
      all.push_back(std::make_unique<Joinable>(runtime, [&function, i] { function(i); }));
    }
    for (auto& one : all) one->join();
  }
  EXPECT_GT(moves, 1'000) << "the fibers hardly moved: the test says nothing";
}

std::atomic<int> constructed{0};
std::atomic<int> destroyed{0};
std::atomic<int> destroyed_elsewhere{0};

struct Local {
  Local() : thread(::pthread_self()) { ++constructed; }
  ~Local() {
    ++destroyed;
    if (!::pthread_equal(thread, ::pthread_self())) ++destroyed_elsewhere;
  }
  pthread_t thread;
  std::string text;
};

thread_local Local local;
thread_local int number = 5;

TEST(IdentityTest, ThreadLocalVariablesAreTheFibersOwn) {
  constructed = destroyed = destroyed_elsewhere = 0;
  run([](int i) {
    EXPECT_EQ(number, 5);
    local.text = std::to_string(i);
    int* const address = &number;
    number = i;
    for (int turn = 0; turn < moves_each; ++turn) {
      move();
      ASSERT_EQ(&number, address);
      ASSERT_EQ(number, i);
      ASSERT_EQ(local.text, std::to_string(i));
    }
  });
  EXPECT_EQ(constructed, fibers);
  EXPECT_EQ(destroyed, fibers);
  EXPECT_EQ(destroyed_elsewhere, 0);
}

TEST(IdentityTest, ErrnoIsTheFibersOwn) {
  run([](int i) {
    for (int turn = 0; turn < moves_each; ++turn) {
      errno = 1000 + i;
      move();
      ASSERT_EQ(errno, 1000 + i);
    }
  });
}

// Suspended inside of a catch block, while another fiber is inside of its own.
void throw_and_catch(int depth, int i) {
  try {
    move();
    throw std::runtime_error(std::to_string(i * 100 + depth));
  } catch (const std::runtime_error& error) {
    const std::string expected = std::to_string(i * 100 + depth);
    move();
    ASSERT_EQ(error.what(), expected);
    if (depth > 0) throw_and_catch(depth - 1, i);
    move();
    ASSERT_EQ(error.what(), expected);
    try {
      throw;
    } catch (const std::exception& again) {
      move();
      ASSERT_EQ(again.what(), expected);
    }
  }
}

TEST(IdentityTest, ExceptionsCrossSwitches) {
  run([](int i) {
    for (int turn = 0; turn < moves_each / 10; ++turn) {
      throw_and_catch(3, i);
      ASSERT_EQ(std::uncaught_exceptions(), 0);
      ASSERT_EQ(std::current_exception(), nullptr);
    }
  });
}

TEST(IdentityTest, LibrariesLoadedLateHaveThreadLocalVariables) {
  void* const library = ::dlopen(WEFT_LATE_LIBRARY, RTLD_NOW);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto counted = reinterpret_cast<int* (*)()>(::dlsym(library, "late_counted"));
  const auto plain = reinterpret_cast<int* (*)()>(::dlsym(library, "late_plain"));
  const auto late_constructed = reinterpret_cast<int (*)()>(::dlsym(library, "late_constructed"));
  const auto late_destroyed = reinterpret_cast<int (*)()>(::dlsym(library, "late_destroyed"));
  run([&](int i) {
    ASSERT_EQ(*counted(), 42);
    ASSERT_EQ(*plain(), 7);
    *counted() = i;
    *plain() = -i;
    int* const address = plain();
    for (int turn = 0; turn < moves_each; ++turn) {
      move();
      ASSERT_EQ(*counted(), i);
      ASSERT_EQ(*plain(), -i);
      ASSERT_EQ(plain(), address);
    }
  });
  EXPECT_EQ(late_constructed(), fibers);
  EXPECT_EQ(late_destroyed(), fibers);
  ::dlclose(library);
}

TEST(IdentityTest, PthreadSelfAndStackBoundsStay) {
  run([](int) {
    const pthread_t self = ::pthread_self();
    for (int turn = 0; turn < moves_each; ++turn) {
      move();
      ASSERT_TRUE(::pthread_equal(self, ::pthread_self()));
      if (turn % 16 != 0) continue;
      pthread_attr_t attributes;
      ASSERT_EQ(::pthread_getattr_np(self, &attributes), 0);
      void* lowest = nullptr;
      std::size_t bytes = 0;
      ASSERT_EQ(::pthread_attr_getstack(&attributes, &lowest, &bytes), 0);
      ::pthread_attr_destroy(&attributes);
      const auto* const here = reinterpret_cast<const std::byte*>(__builtin_frame_address(0));
      ASSERT_GE(here, static_cast<std::byte*>(lowest));
      ASSERT_LT(here, static_cast<std::byte*>(lowest) + bytes);
    }
  });
}

std::atomic<int> keys_destroyed{0};

TEST(IdentityTest, ThreadSpecificDataIsTheFibersOwn) {
  keys_destroyed = 0;
  pthread_key_t key{};
  ASSERT_EQ(::pthread_key_create(&key, [](void*) { ++keys_destroyed; }), 0);
  run([key](int i) {
    int mine = i;
    ASSERT_EQ(::pthread_setspecific(key, &mine), 0);
    for (int turn = 0; turn < moves_each; ++turn) {
      move();
      ASSERT_EQ(::pthread_getspecific(key), &mine);
    }
  });
  EXPECT_EQ(keys_destroyed, fibers);
  ::pthread_key_delete(key);
}

// Rounding is in the control words, which belong to the fiber as to any thread.
TEST(IdentityTest, FloatingPointControlIsTheFibersOwn) {
  run([](int i) {
    const unsigned rounding = (static_cast<unsigned>(i) % 4) << 13;  // MXCSR, bits 13 and 14
    const unsigned control = (__builtin_ia32_stmxcsr() & ~(3U << 13)) | rounding;
    __builtin_ia32_ldmxcsr(control);
    for (int turn = 0; turn < moves_each; ++turn) {
      move();
      ASSERT_EQ(__builtin_ia32_stmxcsr() & (3U << 13), rounding);
    }
  });
}

}  // namespace
}  // namespace weft
