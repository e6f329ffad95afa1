// SPDX-License-Identifier: Apache-2.0
// Runtime: the workers and everything they share. DESIGN.md says how it fits together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/atomic.h"
#include "fiber/fiber.h"
#include "os/clock.h"
#include "os/epoll.h"
#include "os/spin_lock.h"
#include "sched/file_ring.h"
#include "sched/idle_workers.h"
#include "sched/injection_queue.h"
#include "sched/monitor.h"
#include "sched/worker.h"

namespace weft::sched {

class Poller;

struct RuntimeOptions {
  std::uint32_t workers = 1;
  std::uint32_t most_workers = 256;  // how far resize() may go
  // Without a monitor a fiber that blocks its carrier blocks a worker; for tests of everything
  // else.
  bool monitored = true;
  // Whether a new thread may begin at home while a worker has nothing to do; see begin(). Needs the
  // monitor, who calls the place in from a thread that keeps it.
  bool lends_places = true;
  // How many requests to files may be under way at once, the rest are made at home; see
  // file_ring.h.
  unsigned file_requests = 1024;
  // Calls the function, which is the life of a carrier, with what its kernel thread needs.
  void (*around_carrier)(void (*carry)(void*), void* argument) = nullptr;
  // Called first in every home.
  void (*at_begin_of_home)() = nullptr;
  MonitorOptions monitor{};
};

class Runtime {
 public:
  explicit Runtime(const RuntimeOptions& options);
  // Precondition: every fiber has finished.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Makes the pool so many workers large; at least one, at most most_workers. Returns before those
  // that are too many have stopped: they do when their fiber does.
  void resize(std::uint32_t workers);
  std::uint32_t workers() const noexcept { return target_.load(std::memory_order_relaxed); }

  // The fiber, which is nobody's, wants to run.
  void make_ready(fiber::Fiber& fiber) noexcept;

  // The same, but behind those that are ready already.
  void make_ready_last(fiber::Fiber& fiber) noexcept;
  // The same, for one that has just been left for the idle context, which may take it again.
  void make_ready_again(fiber::Fiber& fiber) noexcept;
  // Whether the carrier has anything to do but its fiber.
  bool anything_for(const Carrier& carrier, const Worker& worker) noexcept;

  // Stops the calling fiber: continues another, or the carrier's idle context, and there first
  // calls `after` with this fiber. Returns when somebody continues it. Precondition: it is not at
  // home.
  void leave(fiber::Fiber& self, void (*after)(fiber::Fiber&)) noexcept;

  // A deadline is there that nobody waits for yet.
  void timer_added(os::Instant deadline) noexcept;

  // A fiber begins, at home, in a sleeper's place; and stops to.
  bool try_borrow(fiber::Fiber& self) noexcept;
  void give_back(fiber::Fiber& self) noexcept;
  // The runtime goes when all its fibers are over.
  void fiber_begins() noexcept { fibers_.fetch_add(1, std::memory_order_relaxed); }
  void fiber_is_over() noexcept;
  void wait_for_fibers() noexcept;

  // For the monitor. Puts what stands in Worker::next where others find it.
  void share_next(Worker& worker) noexcept;
  // Finds a carrier for a worker that has none: it was relieved, or there was none to be had.
  void man(Worker& worker) noexcept { static_cast<void>(employ(worker)); }
  // Others wait for a worker: takes the place of one from a fiber that runs at home, if it has it.
  void call_in_loan(fiber::Fiber& fiber) noexcept;
  // Polls and fires timers in place of workers that are all busy.
  void look_outside() noexcept;
  bool anything_to_share() noexcept;
  // How many carriers have been relieved, and still have their fiber.
  std::uint32_t relieved_asleep() const noexcept { return relieved_asleep_.load(); }
  std::uint32_t relieved_running() const noexcept { return relieved_running_.load(); }
  void count_relieved(Carrier& carrier, bool asleep) noexcept;
  void uncount_relieved(const Carrier& carrier) noexcept;

  IdleWorkers& idle() noexcept { return idle_; }
  Monitor* monitor() noexcept { return monitor_.get(); }
  std::uint32_t most_workers() const noexcept { return most_workers_; }
  std::uint32_t spares() const noexcept { return spares_.load(std::memory_order_relaxed); }
  Poller& poller() noexcept { return *poller_; }
  FileRing& files() noexcept { return files_; }
  void home_begins() const noexcept {
    if (at_begin_of_home_ != nullptr) at_begin_of_home_();
  }

  // For those who look on.
  template <class Function>
  void for_each_worker(Function function) {
    const std::uint32_t count = made_.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < count; ++i) function(worker_at(i));
  }
  Worker& worker_at(std::uint32_t index) noexcept { return workers_[index]; }
  std::uint32_t carriers() const noexcept { return carriers_.load(std::memory_order_relaxed); }

 private:
  static void* carrier_main(void* argument);
  static void carry(void* argument);
  void run_carrier(Carrier& carrier);
  void run_worker(Carrier& carrier, Worker& worker);
  // False: the carrier has been relieved meanwhile.
  bool run(Carrier& carrier, Worker& worker, fiber::Fiber& fiber);
  void sleep(Carrier& carrier, Worker& worker);
  void stop_searching(Carrier& carrier);
  void set_target(std::uint32_t target);
  Carrier& make_carrier();
  // Finds a carrier for the worker: a spare one, or a new one; false: the system has no thread
  // left.
  bool employ(Worker& worker) noexcept;
  // Empties the worker's queues for others, and gives it up. False: it is wanted again.
  bool retire(Carrier& carrier, Worker& worker);
  // Sleeps until there is a worker for the carrier; false: it shall end.
  bool wait_as_spare(Carrier& carrier);
  bool take_off_spares(Carrier& carrier, bool even_the_last);

  // Each gives a fiber that is then the caller's to run, or nullptr.
  fiber::Fiber* pick(Carrier& carrier, Worker& worker) noexcept;
  fiber::Fiber* search(Carrier& carrier, Worker& worker) noexcept;
  fiber::Fiber* take_injected(Carrier& carrier, Worker& worker) noexcept;
  fiber::Fiber* steal(Carrier& carrier, Worker& worker, bool also_next) noexcept;

  bool anything_ready(const Worker& worker) noexcept;
  void poll_now(Worker& worker) noexcept;
  void fire_timers(Worker& worker) noexcept;
  os::Instant nearest_timer() noexcept;
  void inject(fiber::Fiber& fiber) noexcept;
  // The carrier was relieved and has put fibers into a queue that nobody may look at any more.
  void rescue(const Carrier& carrier, Worker& worker) noexcept;
  // The worker has retired: what may only run there goes to the first worker.
  void unpin(Worker& worker) noexcept;

  // A spare that nobody needed for so long ends.
  static constexpr auto spare_life = std::chrono::seconds{10};

  const std::uint32_t most_workers_;
  void (*const around_carrier_)(void (*carry)(void*), void* argument);
  void (*const at_begin_of_home_)();
  const bool lends_places_;
  os::Epoll epoll_;
  FileRing files_;
  IdleWorkers idle_{epoll_};
  InjectionQueue injected_;
  std::unique_ptr<Worker[]> workers_;
  std::unique_ptr<Poller> poller_;
  std::unique_ptr<Monitor> monitor_;

  atomic<std::uint32_t> target_{0};    // how many workers there shall be
  atomic<std::uint32_t> made_{0};      // how many there ever were: queues and timers to look into
  atomic<std::uint32_t> carriers_{0};  // kernel threads
  atomic<std::uint32_t> fibers_{0};    // that are not over
  atomic<std::uint32_t> relieved_asleep_{0};
  atomic<std::uint32_t> relieved_running_{0};
  atomic<bool> stopping_{false};
  // Until when the sleeper in the poller sleeps at most; the least there is: nobody sleeps there.
  atomic<os::Instant::rep> poll_until_{os::Instant::min().time_since_epoch().count()};

  os::SpinLock resize_lock_;
  os::SpinLock spares_lock_;
  Carrier* first_spare_ = nullptr;  // guarded by spares_lock_
  Carrier* first_made_ = nullptr;   // guarded by spares_lock_
  atomic<std::uint32_t> spares_{0};
};

}  // namespace weft::sched
