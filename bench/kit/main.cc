// SPDX-License-Identifier: Apache-2.0
// What the kit's parts cost, and how soon work stops when it is cancelled: the figures of
// docs/guide.
//
//   kit_bench [ROUNDS]
#include <weft/cancel_wait.h>
#include <weft/coroutines.h>
#include <weft/fiber_sync.h>
#include <weft/fibers.h>
#include <weft/pool.h>
#include <weft/trace.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::duration<double, std::nano>;

constexpr Ambient<std::string> user("user");
thread_local std::string user_of_thread;

double quantile(std::vector<double> samples, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(at),
                   samples.end());
  return samples[at];
}

// Prints the median time of one call, over rounds of many.
template <class Function>
void time_of(const char* name, int rounds, Function function) {
  constexpr int calls = 2000;
  std::vector<double> samples;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = Clock::now();
    for (int i = 0; i < calls; ++i) function();
    samples.push_back(Nanoseconds(Clock::now() - begin).count() / calls);
  }
  std::printf("%-58s %9.0f ns\n", name, quantile(samples, 0.5));
}

// Prints how long after cancel() the work has stopped. begin(token, begun) starts work that waits
// for an hour, and answers when it has stopped.
template <class Begin>
void stop_of(const char* name, int rounds, Begin begin) {
  std::vector<double> samples;
  for (int round = 0; round < rounds; ++round) {
    CancelSource source;
    std::promise<void> begun;
    std::future<Clock::time_point> stopped = begin(source.token(), begun);
    begun.get_future().wait();
    std::this_thread::sleep_for(std::chrono::microseconds(200));  // it waits by then
    const auto cancelled = Clock::now();
    source.cancel(CancelReason::client);
    samples.push_back(Nanoseconds(stopped.get() - cancelled).count() / 1000);
  }
  std::printf("%-58s %7.0f us, P99 %.0f us\n", name, quantile(samples, 0.5),
              quantile(samples, 0.99));
}

void wait_on_condition(const CancelToken& token, std::promise<void>& begun) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  begun.set_value();
  wait(never, lock, token, [] { return false; });
}

void measure_costs(int rounds) {
  std::size_t sum = 0;
  time_of("thread_local: read", rounds, [&] { sum += user_of_thread.size(); });
  {
    const auto guard = user.set("ada");
    time_of("Ambient: read", rounds, [&] { sum += user.get()->size(); });
    time_of("Context: capture, attach, and back", rounds,
            [] { const Attached attached(Context::capture()); });
  }
  time_of("Ambient: set, and back", rounds, [] { const auto guard = user.set("ada"); });
  time_of("CancelScope: with a deadline, and its end", rounds,
          [] { const CancelScope scope(Clock::now() + std::chrono::seconds(1)); });
  time_of("continue_trace: with a span of our own", rounds, [&] {
    sum += continue_trace("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").state.size();
  });
  asio::io_context context(1);
  time_of("spawn: a coroutine that does nothing, and its end", rounds, [&] {
    spawn(
        context.get_executor(), []() -> asio::awaitable<void> { co_return; }(), CancelToken(),
        [](std::exception_ptr) {});
    context.restart();
    context.poll();
  });
  if (sum == 1) std::puts("");
}

void measure_stops(int rounds) {
  Pool pool({.policy = Policy::adaptive, .minimum = 1, .cpus = 1});
  stop_of("cancelled on a pool's thread: stops after", rounds, [&](auto token, auto& begun) {
    auto stopped = std::make_shared<std::promise<Clock::time_point>>();
    pool.submit([&begun, token, stopped] {
      wait_on_condition(token, begun);
      stopped->set_value(Clock::now());
    });
    return stopped->get_future();
  });
  Fibers fibers({.workers = 1});
  stop_of("cancelled in a fiber: stops after", rounds, [&](auto token, auto& begun) {
    auto stopped = std::make_shared<std::promise<Clock::time_point>>();
    fibers
        .spawn([&begun, token, stopped] {
          begun.set_value();
          this_fiber::sleep_for(std::chrono::hours(1), token);
          stopped->set_value(Clock::now());
        })
        .detach();
    return stopped->get_future();
  });
  Coroutines coroutines({.threads = 1});
  stop_of("cancelled in a coroutine: stops after", rounds, [&](auto token, auto& begun) {
    auto stopped = std::make_shared<std::promise<Clock::time_point>>();
    const auto work = [](std::promise<void>& said) -> asio::awaitable<void> {
      said.set_value();
      co_await sleep_for(std::chrono::hours(1));
    };
    spawn(coroutines.executor(), work(begun), token,
          [stopped](std::exception_ptr) { stopped->set_value(Clock::now()); });
    return stopped->get_future();
  });
}

}  // namespace
}  // namespace weft

int main(int count, char** words) {
  const int rounds = count > 1 ? std::max(8, std::atoi(words[1])) : 200;
  weft::measure_costs(rounds);
  weft::measure_stops(rounds);
}
