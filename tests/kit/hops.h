// SPDX-License-Identifier: Apache-2.0
// Hops: requests that go from strand to strand by chance, and ask at each step whether they are
// still themselves.
//
//   Hops hops({.seed = 17});
//   hops.run(20'000);                    // so many requests, some of them at a time
//   EXPECT_EQ(hops.report().wrong, 0U);
//
// Who a request is follows from its number: an ambient number, the correlation id and the trace.
// Beside these, the request's first thread has the number in a thread_local; how often that was
// another's, or nobody's, says whether the hops were any.
#pragma once

#include <weft/coroutine_sync.h>
#include <weft/coroutines.h>
#include <weft/pool.h>
#include <weft/trace.h>

#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <semaphore>
#include <string>
#include <vector>

#include "tests/kit/fiber_keeper.h"

namespace weft::kit {

inline constexpr Ambient<std::uint64_t> number_here("number");
inline constexpr Ambient<int> step_here("step");

std::string correlation_for(std::uint64_t number);
Trace trace_for(std::uint64_t number);

struct HopsReport {
  std::uint64_t ended = 0;
  std::uint64_t looks = 0;
  std::uint64_t wrong = 0;
  std::uint64_t wrong_by_thread = 0;          // what the thread_local would have made of it
  std::map<std::string, std::uint64_t> hops;  // by where they went
  std::vector<std::string> complaints;        // the first ones
};

struct HopsOptions {
  std::uint64_t seed = 1;
  // Asks a server in the name of the request of here, and blocks until it has answered. None: there
  // is no server.
  std::function<void(std::uint64_t number)> call{};
};

class Hops {
 public:
  explicit Hops(HopsOptions options);
  ~Hops();

  // Not for two threads at once.
  void run(std::uint64_t requests);

  // Counts whether the request of here is `number`. For any strand.
  void look(std::uint64_t number, const char* where);
  // The same for one that has no request.
  void look_for_nobody(const char* where);
  // What a coroutine does between two hops, by chance: it waits for a time, for a lock, for others.
  boost::asio::awaitable<void> linger(std::uint64_t number, std::minstd_rand random);

  HopsReport report() const;

 private:
  static constexpr std::size_t at_once = 64;
  enum Where : std::size_t { on_pool, on_other_pool, in_fiber, in_coroutine, in_call, places };

  struct Request {
    std::uint64_t number;
    std::minstd_rand random;
    int steps_left;
    int step = -1;  // what step_here is; -1: not set
  };
  using Shared = std::shared_ptr<Request>;

  void begin(std::uint64_t number);
  void enter(std::uint64_t number);
  void arrive(const Shared& request, Where where);
  void hop(const Shared& request, Where where);
  boost::asio::awaitable<void> visit(Shared request);
  boost::asio::awaitable<void> side(std::uint64_t number);
  void complain(std::string text);

  const HopsOptions options_;
  std::counting_semaphore<> places_{at_once};
  std::atomic<std::uint64_t> ended_{0};
  std::atomic<std::uint64_t> looks_{0};
  std::atomic<std::uint64_t> wrong_{0};
  std::atomic<std::uint64_t> wrong_by_thread_{0};
  std::array<std::atomic<std::uint64_t>, places> hops_{};
  mutable std::mutex mutex_;
  std::vector<std::string> complaints_;  // guarded by mutex_
  AsyncMutex lock_;
  FiberKeeper fibers_{{.workers = 2}};
  Coroutines coroutines_;
  std::array<Pool, 2> pools_;
};

}  // namespace weft::kit
