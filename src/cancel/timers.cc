// SPDX-License-Identifier: Apache-2.0
// The heap of deadlines, and the thread that waits for the first.
#include "cancel/timers.h"

#include <pthread.h>

#include <chrono>
#include <memory>

#include "os/signal_mask.h"

namespace weft::cancel {
namespace {

bool is_earlier(const State& one, const State& other) noexcept {
  return one.deadline < other.deadline;
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

void Timers::add(State& state) {
  bool is_too_late = false;
  {
    const std::scoped_lock guard(mutex_);
    if (!thread_.joinable()) {
      const os::SignalMask blocked;  // the thread's from its first moment
      thread_ = std::thread([this] { run(); });
    }
    heap_.push_back(nullptr);
    put(heap_.size() - 1, state);
    rise(state.timer_index);
    is_too_late = wakes_at_ > state.deadline;
  }
  if (is_too_late) changed_.notify_one();
}

void Timers::remove(State& state) noexcept {
  const std::scoped_lock guard(mutex_);
  if (state.timer_index != not_kept) take(state.timer_index);
}

std::size_t Timers::size() const {
  const std::scoped_lock guard(mutex_);
  return heap_.size();
}

void Timers::run() {
  ::pthread_setname_np(::pthread_self(), "weft-deadlines");
  std::unique_lock guard(mutex_);
  while (!ends_) {
    if (heap_.empty() || heap_.front()->deadline > std::chrono::steady_clock::now()) {
      sleep(guard);
      continue;
    }
    std::shared_ptr<State> due = heap_.front()->weak_from_this().lock();
    take(0);
    guard.unlock();
    if (due != nullptr) due->cancel(CancelReason::deadline);
    due.reset();
    guard.lock();
  }
}

void Timers::sleep(std::unique_lock<std::mutex>& guard) {
  if (heap_.empty()) {
    wakes_at_ = State::Instant::max();
    changed_.wait(guard);
  } else {
    wakes_at_ = heap_.front()->deadline;
    changed_.wait_until(guard, wakes_at_);
  }
  wakes_at_ = State::Instant::min();
}

void Timers::put(std::size_t index, State& state) noexcept {
  state.timer_index = index;
  heap_[index] = &state;
}

void Timers::rise(std::size_t index) noexcept {
  State& state = *heap_[index];
  while (index != 0 && is_earlier(state, *heap_[(index - 1) / 2])) {
    put(index, *heap_[(index - 1) / 2]);
    index = (index - 1) / 2;
  }
  put(index, state);
}

void Timers::sink(std::size_t index) noexcept {
  State& state = *heap_[index];
  for (std::size_t child = 2 * index + 1; child < heap_.size(); child = 2 * index + 1) {
    if (child + 1 < heap_.size() && is_earlier(*heap_[child + 1], *heap_[child])) ++child;
    if (!is_earlier(*heap_[child], state)) break;
    put(index, *heap_[child]);
    index = child;
  }
  put(index, state);
}

void Timers::take(std::size_t index) noexcept {
  heap_[index]->timer_index = not_kept;
  State& last = *heap_.back();
  heap_.pop_back();
  if (index == heap_.size()) return;
  put(index, last);
  rise(index);
  sink(last.timer_index);
}

}  // namespace weft::cancel
