// SPDX-License-Identifier: Apache-2.0
// The futex table: a wait sees the change or the wake that follows it, also in another bucket.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <chrono>

#include "expect_pass.h"
#include "model/model.h"
#include "programs/locks.h"
#include "sync/address_hash.h"
#include "sync/futex_table.h"

namespace weft::model {
namespace {

using namespace std::chrono_literals;
namespace futex_table = sync::futex_table;
using futex_table::Word;

// A word, and another whose bucket comes later: what is locked first does not depend on where
// memory happens to be.
class Words {
 public:
  Words() {
    while (sync::bucket_of(&words_[first_]) >= sync::bucket_of(&words_[second_])) {
      second_ = (second_ + 1) % words_.size();
      if (second_ == 0) ++first_;
    }
  }
  Word& lower() noexcept { return words_[first_]; }
  Word& higher() noexcept { return words_[second_]; }
  // At the end.
  void check_empty() {
    check(futex_table::wake(lower(), 9) == 0 && futex_table::wake(higher(), 9) == 0,
          "somebody is still in the table");
  }

 private:
  std::array<Word, 16> words_{};
  std::size_t first_ = 0;
  std::size_t second_ = 1;
};

// The word is compared and waited for as one step, against a change and the wake for it.
void change_and_wake(Program& program) {
  auto& words = program.make<Words>();
  for (int i = 0; i < 2; ++i) {
    home_thread(program, [&words] {
      while (words.lower().load(std::memory_order_acquire) == 0)
        futex_table::wait(words.lower(), 0);
    });
  }
  home_thread(program, [&words] {
    words.lower().store(1, std::memory_order_release);
    futex_table::wake(words.lower(), 2);
  });
  program.finally([&words] { words.check_empty(); });
}

// As many waits return 0 as there are wakes, whether or not a deadline is over.
void wakes_are_counted(Program& program) {
  struct State {
    Words words;
    atomic<int> woken{0};
    atomic<int> wakes{0};
  };
  auto& state = program.make<State>();
  for (int i = 0; i < 2; ++i) {
    home_thread(program, [&state] {
      const int result = futex_table::wait(state.words.lower(), 0, futex_table::any_bit, in(5us));
      check(result == 0 || result == ETIMEDOUT, "the word has not changed");
      if (result == 0) state.woken.fetch_add(1);
    });
  }
  home_thread(program,
              [&state] { state.wakes.fetch_add(futex_table::wake(state.words.lower(), 1)); });
  program.finally([&state] {
    check(state.woken.load() == state.wakes.load(), "a wake was lost, or counted twice");
    state.words.check_empty();
  });
}

// One is woken and the other requeued, to and fro, while deadlines are over.
void requeued(Program& program, bool upwards) {
  struct State {
    Words words;
    atomic<int> woken{0};
    atomic<int> wakes{0};
  };
  auto& state = program.make<State>();
  Word& from = upwards ? state.words.lower() : state.words.higher();
  Word& target = upwards ? state.words.higher() : state.words.lower();
  for (int i = 0; i < 2; ++i) {
    home_thread(program, [&state, &from, i] {
      const int result = futex_table::wait(from, 0, futex_table::any_bit, in(5us * (i + 1)));
      if (result == 0) state.woken.fetch_add(1);
    });
  }
  home_thread(program, [&state, &from, &target] {
    futex_table::requeue(from, 0, target, 1);
    state.wakes.fetch_add(futex_table::wake(target, 1));
    state.wakes.fetch_add(futex_table::wake(from, 1));
  });
  program.finally([&state] {
    check(state.woken.load() == state.wakes.load(), "a wake was lost, or counted twice");
    state.words.check_empty();
  });
}
void requeued_upwards(Program& program) {
  requeued(program, true);
}
void requeued_downwards(Program& program) {
  requeued(program, false);
}

// A deadline counts in the other bucket too.
void requeued_then_over(Program& program) {
  auto& words = program.make<Words>();
  home_thread(program, [&words] {
    const int result = futex_table::wait(words.lower(), 0, futex_table::any_bit, in(5us));
    check(result == ETIMEDOUT, "woken by nobody");
  });
  home_thread(program, [&words] { futex_table::requeue(words.lower(), 0, words.higher(), 1); });
  program.finally([&words] { words.check_empty(); });
}

// Two that requeue in opposite directions do not wait for each other, and lose nobody.
void requeued_both_ways(Program& program) {
  struct State {
    Words words;
    atomic<int> requeued{0};
  };
  auto& state = program.make<State>();
  home_thread(program, [&state] {
    Words& words = state.words;
    while (words.lower().load(std::memory_order_acquire) == 0) futex_table::wait(words.lower(), 0);
  });
  const auto requeue = [&state](Word& from, Word& target) {
    futex_table::requeue(from, 0, target, 1);
    if (state.requeued.fetch_add(1) == 0) return;
    state.words.lower().store(1, std::memory_order_release);
    futex_table::wake(state.words.lower(), 1);
    futex_table::wake(state.words.higher(), 1);
  };
  home_thread(program, [&state, requeue] { requeue(state.words.lower(), state.words.higher()); });
  home_thread(program, [&state, requeue] { requeue(state.words.higher(), state.words.lower()); });
  program.finally([&state] { state.words.check_empty(); });
}

TEST(FutexTable, InAllSchedules) {
  expect_all_pass_undelayed(2, change_and_wake);
  expect_all_pass_undelayed(1, wakes_are_counted);
}
TEST(FutexTable, NoWakeIsLost) {
  expect_lock_passes(100'000, change_and_wake);
  expect_lock_passes(100'000, wakes_are_counted);
}
TEST(FutexTable, Requeues) {
  expect_lock_passes(100'000, requeued_upwards);
  expect_lock_passes(100'000, requeued_downwards);
}
TEST(FutexTable, RequeuesBothWays) {
  expect_lock_passes(100'000, requeued_both_ways);
}
TEST(FutexTable, TimesOutAfterRequeue) {
  expect_all_pass_undelayed(3, requeued_then_over);
  expect_lock_passes(100'000, requeued_then_over);
}

}  // namespace
}  // namespace weft::model
