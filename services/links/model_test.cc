// SPDX-License-Identifier: Apache-2.0
// Every model: the work is done once, with its own context, and what it throws arrives.
#include "model.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace links {
namespace {

using namespace std::chrono_literals;

constexpr weft::Ambient<int> number("number");

class ModelTest : public testing::TestWithParam<std::string> {
 protected:
  void TearDown() override {
    model_->end();
    pool_.drain();  // whose threads have told the coroutines
  }

  weft::Coroutines coroutines_;
  weft::Pool pool_;
  const std::unique_ptr<Model> model_ = make_model(
      GetParam(), pool_, [this]() -> auto& { return coroutines_; });
};

TEST_P(ModelTest, AnswersWithWhatTheWorkGave) {
  EXPECT_EQ(run(*model_, [] { return 17; }), 17);
  EXPECT_THROW(run(*model_, []() -> int { throw std::out_of_range("x"); }), std::out_of_range);
}

TEST_P(ModelTest, DoesManyAtOnceEachInItsContext) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 200; ++round) {
        const int own = caller * 1000 + round;
        const auto guard = number.set(own);
        const int seen = run(*model_, [] {
          const int before = number.value_or(-1);
          std::this_thread::sleep_for(50us);
          return number.value_or(-1) == before ? before : -2;
        });
        if (seen != own || number.value_or(-1) != own) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(weft::guard_misuses().on_another_strand, 0U);
  EXPECT_EQ(weft::guard_misuses().out_of_order, 0U);
}

TEST_P(ModelTest, TellsTheWorkThatItIsCancelled) {
  weft::CancelScope scope;
  std::thread canceller;
  EXPECT_THROW(run(*model_,
                   [&]() -> int {
                     std::promise<void> told;
                     const weft::OnCancel tell(weft::cancellation(), [&] { told.set_value(); });
                     canceller = std::thread([&] { scope.cancel(weft::CancelReason::client); });
                     told.get_future().wait();
                     weft::cancellation().check();
                     return 0;
                   }),
               weft::Cancelled);
  canceller.join();
}

TEST_P(ModelTest, IsAwaitedByCoroutines) {
  constexpr int most = 200;
  const auto all = std::make_shared<std::promise<void>>();
  std::atomic<int> done{0};
  std::atomic<int> wrong{0};
  for (int own = 0; own < most; ++own) {
    const auto guard = number.set(own);
    weft::spawn(coroutines_.executor(), [&, own, all]() -> boost::asio::awaitable<void> {
      const int seen = co_await await(*model_, [] { return number.value_or(-1); });
      if (seen != own || number.value_or(-1) != own) ++wrong;
      try {
        co_await await(*model_, []() -> int { throw std::out_of_range("x"); });
        ++wrong;
      } catch (const std::out_of_range&) {
      }
      if (++done == most) all->set_value();
    });
  }
  all->get_future().wait();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, ModelTest, testing::ValuesIn(model_names()), [](const auto& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
});

TEST(Models, HaveNames) {
  weft::Pool pool;
  weft::Coroutines coroutines;
  EXPECT_THROW(make_model(
                   "magic", pool, [&]() -> auto& { return coroutines; }),
               std::invalid_argument);
}

}  // namespace
}  // namespace links
