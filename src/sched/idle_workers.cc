// SPDX-License-Identifier: Apache-2.0
// The list of sleepers, and tokens for them.
#include "sched/idle_workers.h"

#include <utility>

namespace weft::sched {

bool IdleWorkers::wake_one() noexcept {
  Sleeper* sleeper = nullptr;
  Bed bed = Bed::own_word;
  {
    const std::scoped_lock guard(lock_);
    if (!wants_wake(summary_.load(std::memory_order_relaxed))) return false;
    // The one that slept last is the warmest; the poller's is left where it is while it can be.
    sleeper = newest_ != nullptr ? newest_ : in_poller_;
    bed = give_token(*sleeper);
  }
  rouse(*sleeper, bed);
  return true;
}

void IdleWorkers::wake(Sleeper& sleeper) noexcept {
  Bed bed = Bed::own_word;
  {
    const std::scoped_lock guard(lock_);
    if (!sleeper.listed) return;
    bed = give_token(sleeper);
  }
  rouse(sleeper, bed);
}

void IdleWorkers::wake_all() noexcept {
  for (;;) {
    Sleeper* sleeper = nullptr;
    Bed bed = Bed::own_word;
    {
      const std::scoped_lock guard(lock_);
      sleeper = newest_ != nullptr ? newest_ : in_poller_;
      if (sleeper == nullptr) return;
      bed = give_token(*sleeper);
    }
    rouse(*sleeper, bed);
  }
}

Bed IdleWorkers::lie_down(Sleeper& sleeper, bool was_searching) noexcept {
  Bed bed = Bed::own_word;
  {
    const std::scoped_lock guard(lock_);
    sleeper.listed = true;
    if (!poller_taken_) {
      bed = Bed::poller;
      poller_taken_ = true;
      in_poller_ = &sleeper;
    } else {
      sleeper.previous = nullptr;
      sleeper.next = newest_;
      if (newest_ != nullptr) newest_->previous = &sleeper;
      newest_ = &sleeper;
    }
    sleeper.bed = bed;
    summary_.fetch_add(was_searching ? one_sleeping - one_searching : one_sleeping);
  }
  // Pairs with the fence in notify(): what was pushed before the pusher could see us asleep, we
  // see.
  base::atomic_thread_fence(std::memory_order_seq_cst);
  return bed;
}

void IdleWorkers::sleep(Sleeper& sleeper) noexcept {
  while (sleeper.token.load(std::memory_order_acquire) == 0) os::futex_wait(sleeper.token, 0);
  sleeper.token.store(0, std::memory_order_relaxed);
}

void IdleWorkers::get_up(Sleeper& sleeper) noexcept {
  const std::scoped_lock guard(lock_);
  if (sleeper.bed == Bed::poller) poller_taken_ = false;
  if (sleeper.listed) {
    take_off(sleeper);
  } else {
    sleeper.token.store(0, std::memory_order_relaxed);
  }
}

bool IdleWorkers::try_take_poller() noexcept {
  const std::scoped_lock guard(lock_);
  return !std::exchange(poller_taken_, true);
}

void IdleWorkers::give_back_poller() noexcept {
  const std::scoped_lock guard(lock_);
  poller_taken_ = false;
}

bool IdleWorkers::poller_is_unattended() noexcept {
  const std::scoped_lock guard(lock_);
  return !poller_taken_ && newest_ != nullptr;
}

void IdleWorkers::attend_poller() noexcept {
  Sleeper* sleeper = nullptr;
  {
    const std::scoped_lock guard(lock_);
    if (poller_taken_ || newest_ == nullptr) return;
    if (searching(summary_.load(std::memory_order_relaxed)) != 0) return;
    sleeper = newest_;
    give_token(*sleeper);
  }
  rouse(*sleeper, Bed::own_word);
}

void IdleWorkers::take_off(Sleeper& sleeper) noexcept {
  sleeper.listed = false;
  if (sleeper.bed == Bed::poller) {
    in_poller_ = nullptr;
  } else {
    (sleeper.previous == nullptr ? newest_ : sleeper.previous->next) = sleeper.next;
    if (sleeper.next != nullptr) sleeper.next->previous = sleeper.previous;
  }
  summary_.fetch_add(one_searching - one_sleeping);
}

Bed IdleWorkers::give_token(Sleeper& sleeper) noexcept {
  take_off(sleeper);
  sleeper.token.store(1, std::memory_order_release);
  return sleeper.bed;
}

void IdleWorkers::rouse(Sleeper& sleeper, Bed bed) noexcept {
  if (bed == Bed::poller) {
    poller_.kick();
  } else {
    os::futex_wake(sleeper.token);
  }
}

}  // namespace weft::sched
