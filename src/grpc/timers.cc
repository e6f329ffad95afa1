// SPDX-License-Identifier: Apache-2.0
// Up and down the heap.
#include "grpc/timers.h"

#include <algorithm>

namespace weft::grpc {
namespace {

// Of one that is due: beyond every place in the heap.
constexpr std::size_t first_due_place = static_cast<std::size_t>(1) << 62;

}  // namespace

void Timers::put(std::size_t place, Timer* timer) noexcept {
  heap_[place] = timer;
  timer->place_ = place;
}

void Timers::rise(std::size_t place) noexcept {
  Timer* const timer = heap_[place];
  while (place != 0) {
    const std::size_t parent = (place - 1) / 2;
    if (heap_[parent]->at_ <= timer->at_) break;
    put(place, heap_[parent]);
    place = parent;
  }
  put(place, timer);
}

void Timers::sink(std::size_t place) noexcept {
  Timer* const timer = heap_[place];
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1]->at_ < heap_[child]->at_) ++child;
    if (timer->at_ <= heap_[child]->at_) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, timer);
}

void Timers::set(Timer& timer, Instant at) {
  cancel(timer);
  heap_.push_back(&timer);
  timer.at_ = at;
  rise(heap_.size() - 1);
}

void Timers::cancel(Timer& timer) noexcept {
  if (!timer.is_set()) return;
  const std::size_t place = std::exchange(timer.place_, Timer::nowhere);
  if (place >= first_due_place) {
    due_[place - first_due_place] = nullptr;
    return;
  }
  Timer* const last = heap_.back();
  heap_.pop_back();
  if (last == &timer) return;
  put(place, last);
  sink(place);
  rise(last->place_);
}

// They are taken out first: what one does may set and cancel others.
void Timers::expire(Instant now) {
  if (next() > now) return;
  due_.clear();
  while (next() <= now) {
    Timer* const timer = heap_.front();
    cancel(*timer);
    timer->place_ = first_due_place + due_.size();
    due_.push_back(timer);
  }
  for (std::size_t i = 0; i < due_.size(); ++i) {
    Timer* const timer = std::exchange(due_[i], nullptr);
    if (timer == nullptr) continue;  // an earlier one has cancelled it
    timer->place_ = Timer::nowhere;
    timer->expire();
  }
}

}  // namespace weft::grpc
