// SPDX-License-Identifier: Apache-2.0
// Litmus tests: exactly what x86 allows is seen when stores are delayed, and exactly what
// interleaving allows when they are not.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/atomic.h"
#include "model/model.h"
#include "os/futex.h"

namespace weft::model {
namespace {

struct Cells {
  std::array<atomic<int>, 2> cell{};
  atomic<int> other{0};
  atomic<std::uint32_t> word{0};
  std::array<int, 4> seen{-1, -1, -1, -1};  // by the program's loads; those not made stay out

  void store(std::size_t which, int value) { cell[which].store(value, std::memory_order_relaxed); }
  void load(std::size_t which, std::size_t into) {
    seen[into] = cell[which].load(std::memory_order_relaxed);
  }
};

using Threads = std::vector<std::function<void(Cells&)>>;
using Seen = std::set<std::string>;

// What the loads can see, and behind a slash what is in memory at the end, over all schedules.
Seen outcomes(bool delayed_stores, const Threads& threads) {
  Seen seen;
  const Options options{.search = Search::exhaustive,
                        .schedules = 1'000'000,
                        .delayed_stores = delayed_stores,
                        .preemption_bound = std::nullopt};
  const Outcome outcome = explore(options, [&](Program& program) {
    auto& cells = program.make<Cells>();
    for (const auto& thread : threads) program.thread([&cells, &thread] { thread(cells); });
    program.finally([&] {
      std::string text;
      for (const int value : cells.seen) {
        if (value >= 0) text += std::to_string(value);
      }
      text += '/';
      for (const auto& cell : cells.cell) text += std::to_string(cell.load());
      seen.insert(text);
    });
  });
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_TRUE(outcome.complete) << outcome;
  return seen;
}

TEST(Memory, AStoreMayPassALaterLoad) {
  const Threads store_buffering{[](Cells& c) { c.store(0, 1), c.load(1, 0); },
                                [](Cells& c) { c.store(1, 1), c.load(0, 1); }};
  EXPECT_EQ(outcomes(false, store_buffering), (Seen{"01/11", "10/11", "11/11"}));
  EXPECT_EQ(outcomes(true, store_buffering), (Seen{"00/11", "01/11", "10/11", "11/11"}));
}

TEST(Memory, WhatEmptiesTheBufferKeepsAStoreBeforeALaterLoad) {
  const std::vector<std::function<void(Cells&)>> emptying{
      [](Cells&) { base::atomic_thread_fence(std::memory_order_seq_cst); },
      [](Cells& c) { c.other.fetch_add(1, std::memory_order_relaxed); },
      [](Cells& c) { c.other.exchange(1, std::memory_order_relaxed); },
      [](Cells& c) {
        int never = 9;
        c.other.compare_exchange_strong(never, 9, std::memory_order_relaxed);
      },
      [](Cells& c) { c.other.wait(9, std::memory_order_relaxed); },
      [](Cells& c) { c.other.notify_one(); },
      [](Cells& c) { c.other.notify_all(); },
      [](Cells& c) { os::futex_wait(c.word, 9); },
      [](Cells& c) { os::futex_wake(c.word); },
      [](Cells& c) { c.other.store(1); },
  };
  for (std::size_t i = 0; i < emptying.size(); ++i) {
    const auto side = [&, i](std::size_t mine) {
      return [&, i, mine](Cells& c) {
        c.store(mine, 1);
        emptying[i](c);
        c.load(1 - mine, mine);
      };
    };
    EXPECT_EQ(outcomes(true, {side(0), side(1)}), (Seen{"01/11", "10/11", "11/11"})) << i;
  }
}

TEST(Memory, ASequentiallyConsistentStoreIsNotDelayed) {
  EXPECT_EQ(outcomes(true, {[](Cells& c) { c.cell[0].store(1), c.load(1, 0); },
                            [](Cells& c) { c.cell[1].store(1), c.load(0, 1); }}),
            (Seen{"01/11", "10/11", "11/11"}));
}

TEST(Memory, WeakFencesDoNotKeepAStoreBeforeALaterLoad) {
  for (const auto order :
       {std::memory_order_acquire, std::memory_order_release, std::memory_order_acq_rel}) {
    const auto side = [order](std::size_t mine) {
      return [order, mine](Cells& c) {
        c.store(mine, 1);
        base::atomic_thread_fence(order);
        c.load(1 - mine, mine);
      };
    };
    EXPECT_EQ(outcomes(true, {side(0), side(1)}), (Seen{"00/11", "01/11", "10/11", "11/11"}));
  }
}

TEST(Memory, StoresStayInOrder) {
  const Threads message_passing{[](Cells& c) { c.store(0, 1), c.store(1, 1); },
                                [](Cells& c) { c.load(1, 0), c.load(0, 1); }};
  EXPECT_EQ(outcomes(true, message_passing), (Seen{"00/11", "01/11", "11/11"}));
  EXPECT_EQ(outcomes(false, message_passing), (Seen{"00/11", "01/11", "11/11"}));
}

TEST(Memory, AThreadSeesItsOwnStoresAtOnce) {
  // Each sees its own store and not the other's: only by forwarding from the buffer.
  const Threads forwarding{[](Cells& c) { c.store(0, 1), c.load(0, 0), c.load(1, 1); },
                           [](Cells& c) { c.store(1, 1), c.load(1, 2), c.load(0, 3); }};
  EXPECT_EQ(outcomes(false, forwarding), (Seen{"1110/11", "1011/11", "1111/11"}));
  EXPECT_EQ(outcomes(true, forwarding), (Seen{"1010/11", "1110/11", "1011/11", "1111/11"}));
  // The newest of several.
  EXPECT_EQ(outcomes(true, {[](Cells& c) { c.store(0, 1), c.store(0, 2), c.load(0, 0); }}),
            (Seen{"2/20"}));
}

TEST(Memory, TwoWritersDoNotEndCrosswise) {
  const Threads crosswise{[](Cells& c) { c.store(0, 1), c.store(1, 2); },
                          [](Cells& c) { c.store(1, 1), c.store(0, 2); }};
  EXPECT_EQ(outcomes(true, crosswise), (Seen{"/12", "/21", "/22"}));
}

TEST(Memory, AllReadersSeeTheSameOrder) {
  const Seen seen =
      outcomes(true, {[](Cells& c) { c.store(0, 1); }, [](Cells& c) { c.store(1, 1); },
                      [](Cells& c) { c.load(0, 0), c.load(1, 1); },
                      [](Cells& c) { c.load(1, 2), c.load(0, 3); }});
  EXPECT_EQ(seen.size(), 15U);  // all of 16 but
  EXPECT_EQ(seen.count("1010/11"), 0U);
}

}  // namespace
}  // namespace weft::model
