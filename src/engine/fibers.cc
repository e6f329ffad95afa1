// SPDX-License-Identifier: Apache-2.0
// <weft/fibers.h> on the scheduler, and on the budget's watch.
#include <weft/budget_watch.h>
#include <weft/cancel_wait.h>
#include <weft/context.h>
#include <weft/fiber_sync.h>
#include <weft/fibers.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "sched/io.h"
#include "sched/park.h"
#include "sched/runtime.h"
#include "sched/thread.h"

namespace weft {

struct Fiber::State {
  sched::Thread* thread = nullptr;
};

namespace {

std::uint32_t workers_of(const budget::Budget& budget) {
  return static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, budget.sizes.cpu_pool_threads.value));
}

}  // namespace

struct Fibers::Engine {
  explicit Engine(std::uint32_t workers)
      : runtime({.workers = workers, .monitor = {.publish = true}}) {}

  sched::Runtime runtime;
  std::optional<budget::Watch> watch;
  budget::Watch::Subscription subscription;
};

Fibers::Fibers(const FibersOptions& options)
    : engine_(std::make_unique<Engine>(std::max(options.workers, 1U))) {
  if (options.workers != 0) return;
  engine_->watch.emplace();
  engine_->subscription =
      engine_->watch->subscribe([runtime = &engine_->runtime](const budget::Budget& budget) {
        runtime->resize(workers_of(budget));
      });
}

Fibers::~Fibers() = default;

void Fibers::resize(std::uint32_t workers) {
  engine_->subscription.reset();
  engine_->runtime.resize(workers);
}

std::uint32_t Fibers::workers() const {
  return engine_->runtime.workers();
}

Fiber Fibers::spawn(std::function<void()> function, const FiberOptions& options) {
  auto state = std::make_unique<Fiber::State>();
  // The fiber's own, so that it may be detached and outlive whoever made it.
  auto own = std::make_unique<std::function<void()>>(
      [context = Context::capture(), function = std::move(function)]() mutable {
        const Attached attached(std::move(context));
        function();
      });
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  if (options.stack_bytes != 0) ::pthread_attr_setstacksize(&attributes, options.stack_bytes);
  const auto run = [](void* argument) -> void* {
    const std::unique_ptr<std::function<void()>> own(static_cast<std::function<void()>*>(argument));
    (*own)();
    return nullptr;
  };
  const int error = sched::spawn(engine_->runtime, &attributes, run, own.get(), &state->thread);
  ::pthread_attr_destroy(&attributes);
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), "weft: a fiber needs a thread");
  }
  static_cast<void>(own.release());
  return Fiber(state.release());
}

Fiber::~Fiber() {
  if (joinable()) join();
}

Fiber::Fiber(Fiber&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}

Fiber& Fiber::operator=(Fiber&& other) noexcept {
  if (this != &other) {
    if (joinable()) join();
    state_ = std::exchange(other.state_, nullptr);
  }
  return *this;
}

void Fiber::join() {
  const std::unique_ptr<State> state(std::exchange(state_, nullptr));
  sched::join(state->thread, nullptr);
}

void Fiber::detach() {
  const std::unique_ptr<State> state(std::exchange(state_, nullptr));
  sched::detach(state->thread);
}

namespace this_fiber {

void yield() noexcept {
  sched::yield();
}

void sleep_until(std::chrono::steady_clock::time_point deadline) noexcept {
  // Both clocks are CLOCK_MONOTONIC.
  sched::sleep_until(os::Instant{deadline.time_since_epoch()});
}

bool sleep_until(std::chrono::steady_clock::time_point deadline, const CancelToken& token) {
  FiberMutex mutex;
  FiberCondition cancelled;
  std::unique_lock lock(mutex);
  wait_until(cancelled, lock, token, deadline, [] { return false; });
  return !token.is_cancelled();
}

bool is_carried() noexcept {
  return sched::counts_as_away(fiber::self());
}

void go_home() noexcept {
  sched::go_home("this_fiber::at_home");
}

void leave_home() noexcept {
  sched::leave_home();
}

}  // namespace this_fiber
}  // namespace weft
