// SPDX-License-Identifier: Apache-2.0
// Watch: the thread, the subscribers, and what they are promised.
//
// Locks, in the order in which they may be taken: refresh_ (one look at a time), then state_ (the
// newest budget and the list of subscribers). A subscriber's own lock is held while its callback
// runs, and is never taken under one of the other two, so that a callback may call anything but
// the destructor of the watch.
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <weft/budget_watch.h>

#include "budget/observation.h"

namespace weft::budget {

struct Watch::Subscriber {
  // Recursive, so that a callback may end its own subscription.
  std::recursive_mutex mutex;
  // Guarded by mutex:
  Callback callback;
  bool active = true;
  bool running = false;
  std::uint64_t delivered = 0;  // the generation that the callback has seen
  // What came while the callback was running on this very thread (it called refresh()).
  std::pair<std::uint64_t, std::shared_ptr<const Budget>> waiting;

  // Calls back with this budget, unless a newer one has been seen. Answers what was thrown.
  std::uint64_t deliver(std::uint64_t generation, std::shared_ptr<const Budget> budget) {
    const std::lock_guard lock(mutex);
    if (generation > waiting.first) waiting = {generation, std::move(budget)};
    if (running) return 0;
    std::uint64_t exceptions = 0;
    running = true;
    while (active && waiting.first > delivered) {
      const auto next = std::exchange(waiting.second, nullptr);
      delivered = waiting.first;
      try {
        callback(*next);
      } catch (...) {
        ++exceptions;
      }
    }
    running = false;
    return exceptions;
  }
};

class Watch::Engine {
 public:
  Engine(Query query, std::chrono::milliseconds period)
      : observation_(std::move(query)), current_(observation_.start()) {
    if (period.count() > 0) start(period);
  }

  std::shared_ptr<const Budget> current() const {
    const std::lock_guard lock(state_);
    return current_;
  }

  std::shared_ptr<Subscriber> subscribe(Callback callback) {
    auto subscriber = std::make_shared<Subscriber>();
    subscriber->callback = std::move(callback);
    std::unique_lock lock(state_);
    subscribers_.push_back(subscriber);
    const auto generation = generation_;
    const auto budget = current_;
    lock.unlock();
    count_exceptions(subscriber->deliver(generation, budget));
    return subscriber;
  }

  bool refresh() {
    std::unique_lock one_look(refresh_);
    const auto found = observation_.look();
    std::unique_lock lock(state_);
    ++counters_.refreshes;
    if (!found) return false;
    ++counters_.full_reads;
    const bool changed = !same_limits(*found, *current_);
    current_ = found;
    if (!changed) return false;
    ++counters_.changes;
    const auto generation = ++generation_;
    const auto subscribers = living_subscribers();
    lock.unlock();
    one_look.unlock();
    for (const auto& subscriber : subscribers) {
      count_exceptions(subscriber->deliver(generation, found));
    }
    return true;
  }

  Counters counters() const {
    const std::scoped_lock lock(refresh_, state_);
    Counters counters = counters_;
    counters.levels = observation_.levels();
    counters.descriptors = observation_.descriptors();
    return counters;
  }

 private:
  void start(std::chrono::milliseconds period) {
    // The program's signals are not for this thread; a new thread inherits the mask.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::jthread([this, period](const std::stop_token& stop) { run(stop, period); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_setname_np(thread_.native_handle(), "weft-budget");
  }

  void run(const std::stop_token& stop, std::chrono::milliseconds period) {
    std::mutex mutex;
    std::condition_variable_any wakes;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      wakes.wait_for(lock, stop, period, [] { return false; });
      if (!stop.stop_requested()) refresh();
    }
  }

  // Precondition: state_ is held.
  std::vector<std::shared_ptr<Subscriber>> living_subscribers() {
    // Only the subscription holds the other reference, and lets go of it when it ends.
    std::erase_if(subscribers_, [](const auto& subscriber) { return subscriber.use_count() == 1; });
    return subscribers_;
  }

  void count_exceptions(std::uint64_t count) {
    if (count == 0) return;
    const std::lock_guard lock(state_);
    counters_.callback_exceptions += count;
  }

  mutable std::mutex refresh_;
  Observation observation_;  // guarded by refresh_

  mutable std::mutex state_;
  // Guarded by state_:
  std::shared_ptr<const Budget> current_;
  std::uint64_t generation_ = 1;
  std::vector<std::shared_ptr<Subscriber>> subscribers_;
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
  const auto subscriber = std::exchange(subscriber_, nullptr);
  if (subscriber == nullptr) return;
  const std::lock_guard lock(subscriber->mutex);
  subscriber->active = false;
  // A running callback (we are inside it) must outlive its own call.
  if (!subscriber->running) subscriber->callback = nullptr;
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
