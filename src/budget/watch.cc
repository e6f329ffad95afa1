// SPDX-License-Identifier: Apache-2.0
// Watch: the thread, the subscribers, and what they are promised.
//
// Telling. Whoever finds a change makes it the newest generation; one thread at a time tells it,
// and goes on while there is a newer one. A thread that is inside a callback never tells: it leaves
// that to whoever called the callback. So no two callbacks ever wait for each other.
//
// Locks, in the order in which they may be taken: refresh_ (one look at a time), then state_ (the
// newest budget, the list of subscribers, who tells). A subscriber's own lock is held while its
// callback runs and is never taken under one of the other two. Nothing of a subscriber's is
// destroyed under any lock: a callback's captures may do what they like when they go.
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <weft/budget_watch.h>

#include "budget/observation.h"

namespace weft::budget {
namespace {

// Longer than anybody waits, and short enough for a clock to add.
constexpr std::chrono::milliseconds longest_period = std::chrono::hours(24);

// Blocks every signal while it lives: a new thread inherits the mask.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

// The pin as it is now: later the program may be changing its environment while we look.
Query with_environment(Query query) {
  if (query.environment || query.process != 0 || query.root != "/") return query;
  query.environment.emplace();
  if (const char* const pin = std::getenv("CPU_LIMIT")) {
    query.environment->emplace_back("CPU_LIMIT", pin);
  }
  return query;
}

// Whether this thread is inside a callback of some watch.
thread_local bool inside_callback = false;

}  // namespace

struct Watch::Subscriber {
  // Recursive, so that a callback may end its own subscription.
  std::recursive_mutex mutex;
  // Guarded by mutex:
  Callback callback;
  bool active = true;
  bool running = false;
  std::uint64_t seen = 0;  // the newest generation that the callback was called with

  // Calls back with this budget, unless it has ended or has seen a newer one. Answers whether the
  // callback threw.
  bool deliver(std::uint64_t generation, const Budget& budget) {
    Callback ended;  // destroyed after the lock is released
    const std::lock_guard lock(mutex);
    if (!active || running || generation <= seen) return false;
    seen = generation;
    running = true;
    const bool outer = std::exchange(inside_callback, true);
    bool threw = false;
    try {
      callback(budget);
    } catch (...) {
      threw = true;
    }
    inside_callback = outer;
    running = false;
    if (!active) ended.swap(callback);
    return threw;
  }

  void end() {
    Callback ended;
    const std::lock_guard lock(mutex);
    active = false;
    // A running callback (we are inside it) must outlive its own call.
    if (!running) ended.swap(callback);
  }
};

class Watch::Engine {
 public:
  Engine(Query query, std::chrono::milliseconds period)
      : observation_(with_environment(std::move(query))), current_(observation_.start()) {
    if (period.count() > 0) start(std::min(period, longest_period));
  }

  std::shared_ptr<const Budget> current() const {
    const std::lock_guard lock(state_);
    return current_;
  }

  std::shared_ptr<Subscriber> subscribe(Callback callback) {
    auto subscriber = std::make_shared<Subscriber>();
    subscriber->callback = std::move(callback);
    std::vector<std::shared_ptr<Subscriber>> ended;
    std::unique_lock lock(state_);
    if (subscribers_.size() >= prune_at_) ended = take_ended();
    subscribers_.push_back(subscriber);
    const auto generation = generation_;
    const auto budget = current_;
    lock.unlock();
    if (subscriber->deliver(generation, *budget)) count_exception();
    tell();
    return subscriber;
  }

  bool refresh() {
    std::unique_lock one_look(refresh_);
    const auto found = observation_.look();
    std::unique_lock lock(state_);
    ++counters_.refreshes;
    if (!found) return false;
    const bool changed = !same_limits(*found, *current_);
    current_ = found;
    if (!changed) return false;
    ++counters_.changes;
    ++generation_;
    lock.unlock();
    one_look.unlock();
    tell();
    return true;
  }

  Counters counters() const {
    const std::scoped_lock lock(refresh_, state_);
    Counters counters = counters_;
    counters.full_reads = observation_.full_reads();
    counters.levels = observation_.levels();
    counters.descriptors = observation_.descriptors();
    return counters;
  }

 private:
  void start(std::chrono::milliseconds period) {
    const SignalsBlocked blocked;
    try {
      thread_ = std::jthread([this, period](const std::stop_token& stop) { run(stop, period); });
    } catch (const std::system_error&) {
      return;  // no thread may be made here; counters() tells
    }
    pthread_setname_np(thread_.native_handle(), "weft-budget");
    const std::lock_guard lock(state_);
    counters_.has_thread = true;
  }

  void run(const std::stop_token& stop, std::chrono::milliseconds period) {
    std::mutex mutex;
    std::condition_variable_any wakes;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      wakes.wait_for(lock, stop, period, [] { return false; });
      if (stop.stop_requested()) return;
      try {
        refresh();
      } catch (const std::bad_alloc&) {
        continue;  // the next look may be luckier; a watch must not end the program
      }
    }
  }

  // Tells every subscriber the newest budget, unless somebody is at it already or will be.
  void tell() {
    if (inside_callback) return;
    std::unique_lock lock(state_);
    if (telling_) return;
    telling_ = true;
    while (told_ != generation_) {
      told_ = generation_;
      const auto generation = generation_;
      const auto budget = current_;
      auto ended = take_ended();
      auto subscribers = subscribers_;
      lock.unlock();
      ended.clear();
      for (const auto& subscriber : subscribers) {
        if (subscriber->deliver(generation, *budget)) count_exception();
      }
      subscribers.clear();
      lock.lock();
    }
    telling_ = false;
  }

  // Takes out the subscribers whose subscription has ended; for the caller to destroy outside of
  // the lock. Precondition: state_ is held.
  std::vector<std::shared_ptr<Subscriber>> take_ended() {
    // Only the subscription holds another reference, and lets go of it when it ends.
    const auto first_ended =
        std::stable_partition(subscribers_.begin(), subscribers_.end(),
                              [](const auto& subscriber) { return subscriber.use_count() > 1; });
    std::vector<std::shared_ptr<Subscriber>> ended(std::make_move_iterator(first_ended),
                                                   std::make_move_iterator(subscribers_.end()));
    subscribers_.erase(first_ended, subscribers_.end());
    prune_at_ = 2 * subscribers_.size() + 16;
    return ended;
  }

  void count_exception() {
    const std::lock_guard lock(state_);
    ++counters_.callback_exceptions;
  }

  mutable std::mutex refresh_;
  Observation observation_;  // guarded by refresh_

  mutable std::mutex state_;
  // Guarded by state_:
  std::shared_ptr<const Budget> current_;
  std::uint64_t generation_ = 1;  // of current_
  std::uint64_t told_ = 1;        // the newest generation that somebody has begun to tell
  bool telling_ = false;          // somebody is telling, and will look again when done
  std::vector<std::shared_ptr<Subscriber>> subscribers_;
  std::size_t prune_at_ = 16;
  Counters counters_;

  std::jthread thread_;  // last: stops and joins before the rest goes
};

Watch::Subscription& Watch::Subscription::operator=(Subscription&& other) noexcept {
  if (this != &other) {
    reset();
    subscriber_ = std::move(other.subscriber_);
  }
  return *this;
}

void Watch::Subscription::reset() {
  if (const auto subscriber = std::exchange(subscriber_, nullptr)) subscriber->end();
}

Watch::Watch(Query query, std::chrono::milliseconds period)
    : engine_(std::make_unique<Engine>(std::move(query), period)) {}

Watch::~Watch() = default;

std::shared_ptr<const Budget> Watch::current() const {
  return engine_->current();
}

Watch::Subscription Watch::subscribe(Callback callback) {
  return Subscription(engine_->subscribe(std::move(callback)));
}

bool Watch::refresh() {
  return engine_->refresh();
}

Watch::Counters Watch::counters() const {
  return engine_->counters();
}

}  // namespace weft::budget
