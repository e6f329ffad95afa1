// SPDX-License-Identifier: Apache-2.0
// Where requests go, and what they see there.
#include "tests/kit/hops.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstring>

namespace weft::kit {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr const char* names[] = {"pool", "other pool", "fiber", "coroutine", "gRPC"};
constexpr std::size_t most_complaints = 10;

thread_local std::uint64_t number_of_thread = 0;

asio::awaitable<void> others_have_a_turn() {
  co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
}

}  // namespace

std::string correlation_for(std::uint64_t number) {
  return "request-" + std::to_string(number);
}

Trace trace_for(std::uint64_t number) {
  Trace trace;
  std::memcpy(trace.parent.trace.data(), &number, sizeof number);
  trace.parent.trace.back() = 1;  // all zeros would be none
  trace.parent.span.front() = 1;
  trace.parent.flags = 1;
  return trace;
}

Hops::Hops(HopsOptions options)
    : options_(std::move(options)),
      coroutines_({.threads = 2, .blocking = {.minimum = 2}}),
      pools_{Pool({.minimum = 2}), Pool({.policy = Policy::fixed, .minimum = 2})} {}

// The last request is over, and who has handed it on may still be about to return from that:
// nothing goes before all have.
Hops::~Hops() {
  fibers_.join(0);
  coroutines_.drain();
  for (Pool& pool : pools_) pool.drain();
  fibers_.join(0);
}

void Hops::run(std::uint64_t requests) {
  for (std::uint64_t number = 1; number <= requests; ++number) {
    places_.acquire();
    begin(number);
    if (number % 64 == 0) fibers_.join(256);
  }
  for (std::size_t i = 0; i < at_once; ++i) places_.acquire();
  places_.release(at_once);
}

// On a strand that others have used before.
void Hops::begin(std::uint64_t number) {
  switch (number % 3) {
    case 0:
      pools_[0].submit([this, number] { enter(number); });
      return;
    case 1:
      fibers_.spawn([this, number] { enter(number); });
      return;
    default:
      spawn(coroutines_.executor(), [this, number]() -> asio::awaitable<void> {
        enter(number);
        co_return;
      });
  }
}

void Hops::enter(std::uint64_t number) {
  look_for_nobody("the beginning");
  number_of_thread = number;
  std::minstd_rand random(static_cast<std::uint32_t>(options_.seed * 1'000'003 + number));
  const int steps = 2 + static_cast<int>(random() % 6);
  const auto request = std::make_shared<Request>(Request{number, random, steps});
  const auto own = number_here.set(number);
  const auto name = current_correlation.set(correlation_for(number));
  const auto trace = current_trace.set(trace_for(number));
  arrive(request, on_pool);
}

void Hops::look(std::uint64_t number, const char* where) {
  looks_.fetch_add(1, std::memory_order_relaxed);
  if (number_of_thread != number) wrong_by_thread_.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t seen = number_here.value_or(0);
  const Trace* const trace = current_trace.get();
  const bool is_traced = trace != nullptr && trace->parent.trace == trace_for(number).parent.trace;
  if (seen == number && correlation() == correlation_for(number) && is_traced) return;
  complain("request " + std::to_string(number) + ", " + where + ": it is " + std::to_string(seen) +
           ", called \"" + std::string(correlation()) + "\", " +
           (is_traced ? "in its trace" : "not in its trace"));
}

void Hops::look_for_nobody(const char* where) {
  looks_.fetch_add(1, std::memory_order_relaxed);
  if (number_here.get() == nullptr && step_here.get() == nullptr && correlation().empty() &&
      current_trace.get() == nullptr) {
    return;
  }
  complain(std::string(where) + ": it is " + std::to_string(number_here.value_or(0)) +
           ", called \"" + std::string(correlation()) + "\", and should be nobody");
}

void Hops::complain(std::string text) {
  wrong_.fetch_add(1, std::memory_order_relaxed);
  const std::scoped_lock guard(mutex_);
  if (complaints_.size() < most_complaints) complaints_.push_back(std::move(text));
}

void Hops::arrive(const Shared& request, Where where) {
  look(request->number, names[where]);
  if (step_here.value_or(-1) != request->step) {
    complain("request " + std::to_string(request->number) + ", " + names[where] + ": step " +
             std::to_string(step_here.value_or(-1)) + " and not " + std::to_string(request->step));
  }
  if (request->steps_left == 0) {
    ended_.fetch_add(1, std::memory_order_relaxed);
    places_.release();
    return;
  }
  request->step = --request->steps_left;
  const auto guard = step_here.set(request->step);  // comes along, and stays behind nowhere
  const std::size_t number = options_.call ? places : in_call;
  hop(request, static_cast<Where>(request->random() % number));
}

void Hops::hop(const Shared& request, Where where) {
  hops_[where].fetch_add(1, std::memory_order_relaxed);
  switch (where) {
    case on_pool:
    case on_other_pool:
      pools_[where].submit([this, request, where] { arrive(request, where); });
      return;
    case in_fiber:
      fibers_.spawn([this, request] {
        look(request->number, "fiber");
        if (request->random() % 2 == 0) this_fiber::yield();
        if (request->random() % 4 == 0) this_fiber::sleep_for(20us);
        arrive(request, in_fiber);
      });
      return;
    case in_coroutine:
      spawn(coroutines_.executor(), visit(request));
      return;
    default:
      pools_[0].submit([this, request] {
        {
          const BlockingScope blocks;
          options_.call(request->number);
        }
        arrive(request, in_call);
      });
  }
}

asio::awaitable<void> Hops::visit(Shared request) {
  const std::uint64_t number = request->number;
  look(number, "coroutine");
  co_await linger(number, std::minstd_rand(request->random()));
  arrive(request, in_coroutine);
}

asio::awaitable<void> Hops::side(std::uint64_t number) {
  look(number, "side");
  const auto guard = number_here.set(0);  // its own: the other side must not see it
  co_await others_have_a_turn();
  if (number_here.value_or(1) != 0) complain("a side lost its own value");
}

asio::awaitable<void> Hops::linger(std::uint64_t number, std::minstd_rand random) {
  using namespace asio::experimental::awaitable_operators;
  for (auto times = 1 + random() % 3; times != 0; --times) {
    const auto what = random() % 6;
    if (what == 0) co_await weft::sleep_for(std::chrono::microseconds(random() % 50));
    if (what == 1) co_await others_have_a_turn();
    if (what == 2) {
      co_await offload(coroutines_.blocking(), [&] { look(number, "offload"); });
    }
    if (what == 3) {
      const AsyncMutex::Lock lock = co_await lock_.lock();
      look(number, "lock");
      co_await others_have_a_turn();
    }
    if (what == 4) co_await (branch(side(number)) && branch(side(number)));
    if (what == 5) co_await within(std::chrono::steady_clock::now() + 1h, side(number));
    look(number, "await");
  }
}

HopsReport Hops::report() const {
  HopsReport report;
  report.ended = ended_;
  report.looks = looks_;
  report.wrong = wrong_;
  report.wrong_by_thread = wrong_by_thread_;
  for (std::size_t where = 0; where < places; ++where) report.hops[names[where]] = hops_[where];
  const std::scoped_lock guard(mutex_);
  report.complaints = complaints_;
  return report;
}

}  // namespace weft::kit
