// SPDX-License-Identifier: Apache-2.0
// Dispatch: where jobs and workers of the policy `adaptive` meet; submitting decides by one word.
//
// Concepts
//   job        waits in a list, in the order of acceptance, until a worker takes it
//   worker     a thread of the pool; its part here is its Seat
//   parked     a worker that sleeps on its seat's token, on a stack: the last is woken first: its
//              caches are warm, and those below sleep on undisturbed
//   searching  a worker that is up for work it has not got yet; one at most, so that a burst costs
//              the submitter one wake, and each woken worker wakes the next ("chain")
//   allowed    how many may be active: what the monitor has found to be of use (controller.h)
//   monitor    the thread that looks after all this; it sleeps while nobody waits
//
// States of a worker
//   starting   --enter()-->                                      active
//   active     --claims a job-->                                 active     (runs it)
//   active     --nothing queued, and nobody searches-->          searching  (spins, where it may)
//   active     --nothing queued, or more active than allowed-->  parked
//   active     --block()-->                                      blocked
//   active     --closed, and nothing queued-->                   gone
//   blocked    --unblock()-->                                    active
//   searching  --claims a job-->                                 active     (wakes the next)
//   searching  --found nothing-->                                parked
//   parked     --a wake was due: token `search`-->               searching
//   parked     --nudge(), close(): token `work`-->               active
//   parked     --retire_one(): token `leave`-->                  gone
//
// Invariants
//   - of the word: see word.h; never is a wake due and not made.
//   - list length == queued + jobs that were claimed and not yet taken off the list. A job is put
//     on the list before it counts as queued, so who claims one finds one.
//   - stack length == parked + workers that are to be woken and not yet taken off the stack. A
//     worker parks, in the word and on the stack, under parking_; so who has taken one off `parked`
//     finds one on the stack.
//   - A worker parks only when nothing is queued, or when more than allowed are active; in both
//     cases no wake is due afterwards.
//   - A job is accepted under waiting_, with the word; so is closing. After that the word can say
//     `closed` and `queued == 0` only when nothing is to come, and then the workers leave.
//   - The monitor says how it rests, then looks at the word; who leaves a job waiting changes the
//     word, then looks how the monitor rests. One of them sees the other.
//
// Who may touch what: the word: anybody, by compare and exchange. The list, its length and the
// waiting submitters: with waiting_. The stack: with parking_. A seat: its worker, and who has
// taken it off the stack. Neither lock is taken with the other one held.
//
// Rejected: a condition variable for all workers. It wakes the one that has waited longest, which
// is the coldest, and each notify costs a lock that the woken one wants as well.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/cancel.h>
#include <weft/pool.h>

#include "base/atomic.h"
#include "os/clock.h"
#include "os/spin_lock.h"
#include "pool/job_list.h"
#include "pool/word.h"

namespace weft::pool {

class Seat {
 public:
  enum Token : std::uint32_t { none, search, work, leave };

 private:
  friend class Dispatch;
  atomic<std::uint32_t> token_{none};
  bool searching_ = false;       // its worker's own
  std::uint32_t patience_ = 16;  // the same: sixteenths of the looks before it parks; halved when
                                 // they were in vain, whole again when they were not
  Seat* above_ = nullptr;        // guarded by parking_
  Seat* below_ = nullptr;
};

class Dispatch {
 public:
  struct Options {
    std::size_t capacity = Word::most_queued;
    std::size_t newest_first_above = 0;
    std::uint32_t allowed = 1;
    std::uint32_t spins = 0;  // looks at the word before a worker parks
  };
  explicit Dispatch(const Options& options) noexcept;

  // For submitters. The time is when it was accepted. A job may run before this returns. Who waits
  // gives up when the token is cancelled and wake_submitters() was called after that.
  Submitted submit(Job& job, bool waits, const CancelToken& token = {}) noexcept;
  void wake_submitters() noexcept;

  // For workers. enter() comes first, once. next() gives a job, or none when the worker is to end,
  // and has left already.
  void enter() noexcept;
  Job* next(Seat& seat) noexcept;
  // Between two calls of next(): the worker needs no CPU meanwhile, and counts as active no more.
  void block() noexcept;
  void unblock() noexcept;

  // For the monitor. With 0 nobody begins another job, unless it is closed.
  void allow(std::uint32_t workers) noexcept;
  // Wakes one more, if it may be active and a job waits, whoever searches: the kernel may be slow
  // to let that one run.
  bool nudge() noexcept;
  // Ends the worker that has been parked longest. False: none is.
  bool retire_one() noexcept;
  // Sleeps until jobs wait and nobody is on the way to them, it is woken, closed, or then.
  void sleep_as_monitor(os::Instant deadline) noexcept;
  // The same between two looks: until a job waits for which there is no thread. True: one does.
  bool rest_as_monitor(os::Instant deadline) noexcept;
  void wake_monitor() noexcept;
  // How often a worker looks at the word before it parks.
  void set_spins(std::uint32_t spins) noexcept { spins_.store(spins, std::memory_order_relaxed); }

  // Returns at once; the workers end when they have done what was accepted.
  void close() noexcept;

  // What it is now.
  Word word() const noexcept { return Word(word_.load(std::memory_order_acquire)); }
  // When the oldest job that waits was accepted; none: `never`.
  os::Instant oldest() noexcept;

 private:
  // What gets the monitor up, but for wake_monitor() and the time.
  enum MonitorRest : std::uint32_t { up, until_threads_lack, until_jobs_wait };

  bool change(Word& expected, Word desired) noexcept;
  // The word with a wake in it, if one is due.
  static Word with_wake(Word word) noexcept { return word.due() ? word.wake_one() : word; }
  // Does what the change of the word has promised.
  void after(Word before, Word now) noexcept;
  void wake_parked(Seat::Token token) noexcept;
  void tell_monitor(Word now) noexcept;
  // Sleeps until it is woken, and answers why; `none`: the word is another one, and it did not.
  Seat::Token park(Seat& seat, Word word) noexcept;
  std::uint32_t spins_for(const Seat& seat) const noexcept;
  Job& take() noexcept;
  void push(Seat& seat) noexcept;
  void take_off(Seat& seat) noexcept;
  // Full, and the caller waits: it counts as waiting, for `room_` to be another than this.
  Submitted put(Job& job, bool waits, std::uint32_t& room) noexcept;

  alignas(64) atomic<std::uint64_t> word_;

  alignas(64) os::SpinLock waiting_;
  atomic<std::uint32_t> room_{0};         // counts how often room was made for one who waits
  JobList jobs_;                          // guarded by waiting_
  std::uint32_t waiting_submitters_ = 0;  // guarded by waiting_
  bool closed_ = false;                   // guarded by waiting_

  alignas(64) os::SpinLock parking_;
  atomic<std::uint32_t> monitor_rest_{up};
  Seat* newest_ = nullptr;  // guarded by parking_
  Seat* oldest_ = nullptr;  // guarded by parking_
  const std::size_t capacity_;
  atomic<std::uint32_t> spins_;
};

}  // namespace weft::pool
