// SPDX-License-Identifier: Apache-2.0
// Whatever a request waits for, it stops when its client goes, its deadline passes, or the process
// ends, says which, and leaves nothing behind. How soon in numbers: cancel_times.cc.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <deque>
#include <numeric>
#include <random>
#include <semaphore>

#include "tests/kit/count.h"
#include "tests/kit/stop_times.h"

namespace weft::kit {
namespace {

std::uint64_t number_of_cancels() {
  return number_of("WEFT_KIT_CANCELS", is_sanitized ? 2'000 : 5'000);
}

// One that was not told to stop would take as long as all of these must not.
TEST(Cancel, EveryPlaceStopsForEveryReason) {
  Places places;
  for (const Place& place : places.all()) {
    for (const CancelReason reason : reasons) {
      const StopTimes stops = stop_times(place, reason, 20);
      EXPECT_EQ(stops.wrong, 0) << place.name << ", " << to_string(reason);
      const auto all = std::accumulate(stops.times.begin(), stops.times.end(), Clock::duration(0));
      EXPECT_LT(all, whole_wait / 10) << place.name << ", " << to_string(reason);
    }
  }
}

// Requests of all kinds at once, told to stop at any moment: before they begin, too.
class Crowd {
 public:
  explicit Crowd(std::uint64_t seed) : random_(static_cast<std::uint32_t>(seed)) {}

  void run(std::uint64_t requests) {
    for (std::uint64_t i = 0; i < requests; ++i) {
      begin();
      const std::size_t stay = random_() % most_waiting;
      while (waiting_.size() > stay) tell_oldest();
      if (i % 64 == 0) places_.clear_up();
    }
    process_.cancel(CancelReason::shutdown);  // and those that still wait
    for (int i = 0; i < at_once; ++i) slots_.acquire();
  }

  std::uint64_t stopped(CancelReason reason) const {
    return stopped_[static_cast<std::size_t>(reason)];
  }
  std::uint64_t wrong() const { return wrong_; }

 private:
  static constexpr int at_once = 64;
  static constexpr std::size_t most_waiting = 16;  // fewer than a pool has threads
  struct Told {
    CancelReason reason;
    std::unique_ptr<CancelSource> process;
    std::unique_ptr<CancelSource> request;
  };

  void begin() {
    slots_.acquire();
    const CancelReason reason = reasons[random_() % reasons.size()];
    const Place& place = places_.all()[random_() % places_.all().size()];
    const auto deadline = Clock::now() + std::chrono::microseconds(random_() % 1000);
    auto process = std::make_unique<CancelSource>(Clock::time_point::max(), process_.token());
    auto request = std::make_unique<CancelSource>(
        reason == CancelReason::deadline ? deadline : Clock::time_point::max(), process->token());
    place.begin({request->token(), [] {},
                 [this, reason](Stopped end) {
                   // Those that wait at the end of all have that reason.
                   if (end.reason == reason || end.reason == CancelReason::shutdown) {
                     ++stopped_[static_cast<std::size_t>(end.reason)];
                   } else {
                     ++wrong_;
                   }
                   slots_.release();
                 }});
    waiting_.push_back({reason, std::move(process), std::move(request)});
  }
  void tell_oldest() {
    const Told told = std::move(waiting_.front());
    waiting_.pop_front();
    if (told.reason == CancelReason::client) told.request->cancel(told.reason);
    if (told.reason == CancelReason::shutdown) told.process->cancel(told.reason);
  }

  std::minstd_rand random_;
  CancelSource process_;
  std::deque<Told> waiting_;
  std::counting_semaphore<> slots_{at_once};
  std::array<std::atomic<std::uint64_t>, 8> stopped_{};
  std::atomic<std::uint64_t> wrong_{0};
  Places places_;  // first to go: what it runs uses the rest
};

TEST(Cancel, ManyAtOnceLeaveNothing) {
  const std::uint64_t seed = number_of("WEFT_KIT_SEED", 20'261'117);
  const std::uint64_t requests = number_of_cancels();
  Crowd crowd(seed);
  crowd.run(requests);
  const std::uint64_t gone = crowd.stopped(CancelReason::client);
  const std::uint64_t late = crowd.stopped(CancelReason::deadline);
  const std::uint64_t ended = crowd.stopped(CancelReason::shutdown);
  std::printf("WEFT_KIT_SEED=%lu: %lu clients gone, %lu deadlines, %lu at the end of the process\n",
              seed, gone, late, ended);
  EXPECT_EQ(crowd.wrong(), 0U);
  EXPECT_EQ(gone + late + ended, requests);
  for (const std::uint64_t number : {gone, late, ended}) EXPECT_GT(number, requests / 5);
}

}  // namespace
}  // namespace weft::kit
