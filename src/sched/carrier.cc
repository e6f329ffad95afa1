// SPDX-License-Identifier: Apache-2.0
// The life of a carrier: runs a worker's fibers, searches, sleeps, and waits as a spare.
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <memory>
#include <mutex>

#include "fiber/libc.h"
#include "os/futex.h"
#include "os/signal_mask.h"
#include "os/system_call.h"
#include "sched/poller.h"
#include "sched/runtime.h"
#include "sched/switching.h"

namespace weft::sched {

using fiber::Fiber;

bool Runtime::employ(Worker& worker) noexcept {
  Carrier* carrier = nullptr;
  {
    const std::scoped_lock guard(spares_lock_);
    carrier = first_spare_;
    if (carrier != nullptr) {
      first_spare_ = carrier->next_spare;
      spares_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  if (carrier != nullptr) {
    carrier->worker.store(&worker, std::memory_order_relaxed);
    carrier->spare_word.store(1, std::memory_order_release);
    os::futex_wake(carrier->spare_word);
    return true;
  }
  carrier = &make_carrier();
  carrier->worker.store(&worker, std::memory_order_relaxed);
  carriers_.fetch_add(1, std::memory_order_relaxed);
  pthread_t handle{};
  const int error = fiber::create_undisturbed(handle, carrier_main, carrier);
  if (error == 0) {
    fiber::libc().detach(handle);
    return true;
  }
  carriers_.fetch_sub(1, std::memory_order_relaxed);
  {
    const std::scoped_lock guard(spares_lock_);
    carrier->ended = true;
  }
  worker.unmanned.store(true);
  return false;
}

// Records are used again and live as long as the runtime: resize() and the monitor look at them.
Carrier& Runtime::make_carrier() {
  auto made = std::make_unique<Carrier>();
  const std::scoped_lock guard(spares_lock_);
  for (Carrier* old = first_made_; old != nullptr; old = old->next_made) {
    if (!old->ended) continue;
    old->ended = false;
    return *old;
  }
  made->runtime = this;
  made->next_made = first_made_;
  first_made_ = made.release();
  return *first_made_;
}

void* Runtime::carrier_main(void* argument) {
  const auto around = static_cast<Carrier*>(argument)->runtime->around_carrier_;
  if (around == nullptr) {
    carry(argument);
  } else {
    around(carry, argument);
  }
  return nullptr;
}

void Runtime::carry(void* argument) {
  Carrier& carrier = *static_cast<Carrier*>(argument);
  Runtime& runtime = *carrier.runtime;
  os::SignalMask().keep();
  os::call(SYS_prctl, PR_SET_NAME, "weft-worker");
  carrier.own = &fiber::self();
  carrier.own->carrier.store(&carrier, std::memory_order_relaxed);
  carrier.own->door.away.store(1, std::memory_order_relaxed);
  carrier.random = carrier.own->id | 1;
  runtime.run_carrier(carrier);
  carrier.own->carrier.store(nullptr, std::memory_order_relaxed);
  {
    const std::scoped_lock guard(runtime.spares_lock_);
    carrier.ended = true;
  }
  // The runtime may be gone after this: its address is only a name to wake whoever waits for it.
  if (runtime.carriers_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    os::futex_wake(runtime.carriers_);
  }
}

void Runtime::run_carrier(Carrier& carrier) {
  do {
    Worker& worker = *carrier.worker.load(std::memory_order_relaxed);
    carrier.attention.store(0, std::memory_order_relaxed);
    carrier.phase.store(Phase::idle, std::memory_order_relaxed);
    worker.carrier.store(&carrier, std::memory_order_release);
    run_worker(carrier, worker);
    carrier.worker.store(nullptr, std::memory_order_relaxed);
    carrier.phase.store(Phase::spare, std::memory_order_relaxed);
  } while (wait_as_spare(carrier));
}

// Returns when the carrier has no worker any more.
void Runtime::run_worker(Carrier& carrier, Worker& worker) {
  for (;;) {
    if (worker.index >= target_.load(std::memory_order_seq_cst)) {
      stop_searching(carrier);
      if (retire(carrier, worker)) return;
      continue;
    }
    carrier.attention.store(0, std::memory_order_relaxed);
    Fiber* fiber = pick(carrier, worker);
    if (fiber == nullptr && (carrier.searching || idle_.try_begin_search())) {
      carrier.searching = true;
      fiber = search(carrier, worker);
    }
    if (fiber == nullptr) {
      sleep(carrier, worker);
      continue;
    }
    stop_searching(carrier);
    if (!run(carrier, worker, *fiber)) return;
  }
}

bool Runtime::run(Carrier& carrier, Worker& worker, Fiber& fiber) {
  worker.switches.add();
  enter(carrier, fiber);
  carrier.phase.store(in_fiber_of(worker), std::memory_order_release);
  switch_context(carrier, carrier.own->context, fiber.context, fiber.thread_pointer);
  finish_switch(carrier);
  carrier.running.store(nullptr, std::memory_order_relaxed);
  carrier.woke_next = false;
  Phase expected = in_fiber_of(worker);
  // Fails where the monitor has taken the worker; see Monitor::relieve().
  if (carrier.phase.compare_exchange_strong(expected, Phase::idle)) return true;
  uncount_relieved(carrier);
  return false;
}

void Runtime::stop_searching(Carrier& carrier) {
  if (!carrier.searching) return;
  carrier.searching = false;
  // What was made ready while we searched was left to us: after the count has changed, look.
  if (idle_.end_search() && anything_to_share()) idle_.wake_one();
}

void Runtime::sleep(Carrier& carrier, Worker& worker) {
  const Bed bed = idle_.lie_down(worker.sleeper, carrier.searching);
  carrier.searching = true;  // as soon as we are up again
  const bool stay_up =
      anything_ready(worker) || worker.index >= target_.load(std::memory_order_seq_cst);
  if (!stay_up && bed == Bed::own_word) {
    idle_.sleep(worker.sleeper);
    if (monitor_ != nullptr) monitor_->somebody_is_up();
    return;
  }
  os::Epoll::Event events[os::Epoll::most_events];
  std::size_t count = 0;
  if (!stay_up) {
    // Until the second store any new timer kicks us: we might not have seen it. Pairs with
    // timer_added(), which looks here after it has published the timer.
    poll_until_.store(os::never.time_since_epoch().count(), std::memory_order_seq_cst);
    const os::Instant deadline = nearest_timer();
    poll_until_.store(deadline.time_since_epoch().count(), std::memory_order_seq_cst);
    count = epoll_.wait(events, deadline);
    poll_until_.store(os::Instant::min().time_since_epoch().count(), std::memory_order_seq_cst);
  }
  idle_.get_up(worker.sleeper);
  if (monitor_ != nullptr) monitor_->somebody_is_up();
  poller_->deliver(events, count);
  files_.reap();
  fire_timers(worker);
}

void Runtime::timer_added(os::Instant deadline) noexcept {
  if (deadline.time_since_epoch().count() < poll_until_.load(std::memory_order_seq_cst)) {
    epoll_.kick();
  }
}

bool Runtime::retire(Carrier& carrier, Worker& worker) {
  RunQueue::Chain ready = worker.queue.take_all();
  while (Fiber* const fiber = ready.pop()) inject(*fiber);
  if (Fiber* const fiber = worker.next.exchange(nullptr)) inject(*fiber);
  worker.carrier.store(nullptr, std::memory_order_relaxed);
  worker.active.store(false, std::memory_order_seq_cst);
  // resize() may have wanted it back in between, and seen it active. Pairs with the exchange there.
  if (worker.index < target_.load(std::memory_order_seq_cst) && !worker.active.exchange(true)) {
    worker.carrier.store(&carrier, std::memory_order_release);
    return false;
  }
  // Pairs with make_ready(): what was pinned here before it could see us gone.
  if (worker.index != 0) unpin(worker);
  // It may have slept in the poller, or be who the others left that to: one of them must go there.
  idle_.attend_poller();
  return true;
}

bool Runtime::wait_as_spare(Carrier& carrier) {
  {
    const std::scoped_lock guard(spares_lock_);
    carrier.spare_word.store(0, std::memory_order_relaxed);
    carrier.next_spare = first_spare_;
    first_spare_ = &carrier;
    spares_.fetch_add(1, std::memory_order_relaxed);
  }
  os::Instant reap_at = os::MonotonicClock::now() + spare_life;
  while (carrier.spare_word.load(std::memory_order_acquire) == 0) {
    const bool stopping = stopping_.load(std::memory_order_seq_cst);
    const bool too_old = os::MonotonicClock::now() >= reap_at;
    if (stopping || too_old) {
      if (take_off_spares(carrier, stopping)) return false;
      reap_at = os::MonotonicClock::now() + spare_life;
      continue;
    }
    os::futex_wait(carrier.spare_word, 0, reap_at);
  }
  return true;
}

// Answers whether the carrier was on the list, and is no more; the last one stays, in case.
bool Runtime::take_off_spares(Carrier& carrier, bool even_the_last) {
  const std::scoped_lock guard(spares_lock_);
  if (!even_the_last && spares_.load(std::memory_order_relaxed) <= 1) return false;
  for (Carrier** link = &first_spare_; *link != nullptr; link = &(*link)->next_spare) {
    if (*link != &carrier) continue;
    *link = carrier.next_spare;
    spares_.fetch_sub(1, std::memory_order_relaxed);
    return true;
  }
  return false;
}

}  // namespace weft::sched
