// SPDX-License-Identifier: Apache-2.0
// The heap of deadlines, and the thread that waits for the first.
#include "cancel/timers.h"

#include <pthread.h>

#include <chrono>
#include <utility>

#include "os/signal_mask.h"

namespace weft::cancel {
namespace {

bool is_earlier(const std::shared_ptr<State>& one, const std::shared_ptr<State>& other) noexcept {
  return one->deadline < other->deadline;
}

}  // namespace

Timers& Timers::shared() {
  static Timers* const timers = new Timers;  // its thread runs until the process ends
  return *timers;
}

Timers::~Timers() {
  {
    const std::scoped_lock guard(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Timers::add(std::shared_ptr<State> state) {
  bool is_first = false;
  {
    const std::scoped_lock guard(mutex_);
    if (!thread_.joinable()) {
      const os::SignalMask blocked;  // the thread's from its first moment
      thread_ = std::thread([this] { run(); });
    }
    heap_.emplace_back();
    State* const added = state.get();
    put(heap_.size() - 1, std::move(state));
    rise(added->timer_index);
    is_first = added->timer_index == 0;
  }
  if (is_first) changed_.notify_one();
}

void Timers::remove(State& state) noexcept {
  std::shared_ptr<State> last;  // goes outside the lock
  const std::scoped_lock guard(mutex_);
  if (state.timer_index != not_kept) last = take(state.timer_index);
}

std::size_t Timers::size() const {
  const std::scoped_lock guard(mutex_);
  return heap_.size();
}

void Timers::run() {
  ::pthread_setname_np(::pthread_self(), "weft-deadlines");
  std::unique_lock guard(mutex_);
  while (!ends_) {
    if (heap_.empty()) {
      changed_.wait(guard);
      continue;
    }
    const auto next = heap_.front()->deadline;
    if (next > std::chrono::steady_clock::now()) {
      changed_.wait_until(guard, next);
      continue;
    }
    std::shared_ptr<State> due = take(0);
    guard.unlock();
    due->cancel(CancelReason::deadline);
    due.reset();
    guard.lock();
  }
}

void Timers::put(std::size_t index, std::shared_ptr<State> state) noexcept {
  state->timer_index = index;
  heap_[index] = std::move(state);
}

void Timers::rise(std::size_t index) noexcept {
  std::shared_ptr<State> state = std::move(heap_[index]);
  while (index != 0 && is_earlier(state, heap_[(index - 1) / 2])) {
    put(index, std::move(heap_[(index - 1) / 2]));
    index = (index - 1) / 2;
  }
  put(index, std::move(state));
}

void Timers::sink(std::size_t index) noexcept {
  std::shared_ptr<State> state = std::move(heap_[index]);
  for (std::size_t child = 2 * index + 1; child < heap_.size(); child = 2 * index + 1) {
    if (child + 1 < heap_.size() && is_earlier(heap_[child + 1], heap_[child])) ++child;
    if (!is_earlier(heap_[child], state)) break;
    put(index, std::move(heap_[child]));
    index = child;
  }
  put(index, std::move(state));
}

std::shared_ptr<State> Timers::take(std::size_t index) noexcept {
  std::shared_ptr<State> taken = std::move(heap_[index]);
  taken->timer_index = not_kept;
  std::shared_ptr<State> last = std::move(heap_.back());
  heap_.pop_back();
  if (index < heap_.size()) {
    State* const moved = last.get();
    put(index, std::move(last));
    rise(index);
    sink(moved->timer_index);
  }
  return taken;
}

}  // namespace weft::cancel
