// SPDX-License-Identifier: Apache-2.0
// docs/guide/cancellation.md: a deadline that is not handed on is kept by nobody below.
#include <weft/cancel.h>
#include <weft/cancel_wait.h>
#include <weft/pool.h>

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace weft {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto deadline = 10ms;
constexpr auto slow_answer = 300ms;

// A service that we ask, which takes its time.
struct SlowService {
  void ask() { std::this_thread::sleep_for(slow_answer); }
  // The same, by who looks at the token; here as a wait, elsewhere as a driver's own cancel.
  bool ask(const CancelToken& token) {
    std::unique_lock lock(mutex);
    return wait_until(answered, lock, token, Clock::now() + slow_answer, [] { return false; });
  }
  std::mutex mutex;
  std::condition_variable answered;
};

template <class Request>
std::chrono::nanoseconds time_of(Request request) {
  Pool pool({.policy = Policy::fixed, .minimum = 1, .maximum = 1, .cpus = 1});
  const auto begin = Clock::now();
  const CancelScope scope(begin + deadline);
  pool.submit(request);
  pool.drain();
  return Clock::now() - begin;
}

TEST(TheBug, ADeadlineThatIsNotHandedOnHoldsTheThread) {
  SlowService service;
  const auto time = time_of([&] { service.ask(); });
  EXPECT_GE(time, slow_answer) << "the bug does not show any more, and the guide is wrong";
}

TEST(TheCure, TheDeadlineComesAlong) {
  SlowService service;
  CancelReason reason = CancelReason::none;
  const auto patient = time_of([&] { service.ask(); });
  const auto time = time_of([&] {
    service.ask(cancellation());
    reason = cancellation().reason();
  });
  EXPECT_EQ(reason, CancelReason::deadline);
  EXPECT_LT(2 * time, patient);
}

}  // namespace
}  // namespace weft
