// SPDX-License-Identifier: Apache-2.0
// IdleWorkers: who sleeps, who searches, and who wakes whom; no ready fiber is left alone.
//
// A worker that has run out of fibers searches; one that has searched in vain lies down and sleeps.
// One of the sleepers sleeps in the poller, where events of descriptors and the nearest timer wake
// it; the others sleep on a word of their own.
//
// A wake-up costs the waker a system call and the machine an interrupt, so there is one at a time:
// it is for whoever makes a fiber ready to wake a sleeper, unless somebody searches already; and
// for a searcher that has found something to wake the next, where there is more ("wake throttling",
// Go).
//
//   running    --finds nothing, and nobody searches-->        searching
//   running    --finds nothing, and somebody searches-->      sleeping    by lie_down()
//   searching  --finds a fiber: end_search()-->               running     (more work: wakes one)
//   searching  --finds nothing: lie_down()-->                 sleeping    (looks once more)
//   sleeping   --wake_one(), wake(): token-->                 searching
//   sleeping   --looked once more and saw work, or left the poller: get_up()-->  searching
//
// Invariants
//   - searching counts those who will look at every queue before they sleep. Who makes a fiber
//   ready
//     may leave it to them.
//   - After lie_down(), before it sleeps, a worker looks at every queue again. Between the two, and
//     in notify() between the push and the look at the summary, is a fence: either the pusher sees
//     the sleeper, or the sleeper sees the fiber.
//   - Where a worker sleeps is settled under the lock as it lies down, and a waker reads it under
//     the lock. So a wake-up never goes to the word of one who sleeps in the poller.
//   - Only who has taken the poller waits in it, and gives it back when it is out of it again, not
//     when it is woken: so a kick reaches whom it was meant for, and not the next one in that bed.
//     Who is in it without sleeping comes to lie down later: all asleep implies one in the poller.
//     A worker that retires instead of lying down wakes another for it.
//   - Who makes a fiber ready and finds every sleeper's place borrowed leaves it to who gives the
//     first one back, by the same fence: give_back() changes the count, and then looks.
//   - A token is given, under the lock, exactly to those that are taken off the list; who has one
//   is
//     counted as searching.
//
// Rejected: all sleepers in epoll_wait, and the kernel chooses. There is no hand-over then, but an
// event wakes one more worker even while another searches and would have found it.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/atomic.h"
#include "os/epoll.h"
#include "os/futex.h"
#include "os/spin_lock.h"

namespace weft::sched {

enum class Bed : std::uint8_t { own_word, poller };

// A worker's part in this; guarded by the lock of IdleWorkers, but for the token.
struct Sleeper {
  atomic<std::uint32_t> token{0};  // 1: woken; written under the lock, waited for without
  bool listed = false;
  Bed bed = Bed::own_word;
  Sleeper* next = nullptr;
  Sleeper* previous = nullptr;
};

class IdleWorkers {
 public:
  explicit IdleWorkers(os::Epoll& poller) noexcept : poller_(poller) {}

  // Called after a fiber was put where any worker finds it.
  void notify() noexcept {
    // Pairs with the fence in lie_down().
    base::atomic_thread_fence(std::memory_order_seq_cst);
    if (wants_wake(summary_.load(std::memory_order_relaxed))) wake_one();
  }

  // Wakes a sleeper, if there is one and nobody searches. Answers whether it did.
  bool wake_one() noexcept;

  // Wakes this one, if it sleeps.
  void wake(Sleeper& sleeper) noexcept;

  // Wakes everybody: there is something new to be seen by each.
  void wake_all() noexcept;

  // Answers whether the caller may search now: not if another does.
  bool try_begin_search() noexcept {
    std::uint64_t summary = summary_.load(std::memory_order_relaxed);
    return searching(summary) == 0 &&
           summary_.compare_exchange_strong(summary, summary + one_searching);
  }

  // The caller has found a fiber. True: it was the last that searched, and must wake_one() if there
  // is more to be found, of which it convinces itself after this call.
  bool end_search() noexcept { return searching(summary_.fetch_sub(one_searching)) == 1; }

  // Puts the caller on the list and says where it sleeps. After that, and before it sleeps, it
  // looks at every queue once more.
  Bed lie_down(Sleeper& sleeper, bool was_searching) noexcept;

  // Sleeps until somebody gives the token. The caller is then searching.
  void sleep(Sleeper& sleeper) noexcept;

  // Takes the caller off the list, or its token, and gives the poller back if it slept there. It is
  // then searching.
  void get_up(Sleeper& sleeper) noexcept;

  // For a look into the poller without sleeping: nobody else is in it until give_back_poller().
  bool try_take_poller() noexcept;
  void give_back_poller() noexcept;

  // A thread that begins, at home, may run there in place of a sleeper, if one has nothing to do:
  // waking the sleeper for it would cost more than many threads do in their life. While it does,
  // one sleeper less is woken for work that becomes ready.
  bool try_borrow() noexcept {
    std::uint32_t borrowed = borrowed_.load(std::memory_order_relaxed);
    return borrowed < sleeping() && borrowed_.compare_exchange_strong(borrowed, borrowed + 1);
  }
  // After that the caller looks whether anything is ready, which was left to it, and wakes one.
  void give_back() noexcept { borrowed_.fetch_sub(1); }
  std::uint32_t borrowed() const noexcept { return borrowed_.load(std::memory_order_relaxed); }

  std::uint32_t sleeping() const noexcept {
    return sleeping(summary_.load(std::memory_order_relaxed));
  }
  bool anybody_searches() const noexcept {
    return searching(summary_.load(std::memory_order_relaxed)) != 0;
  }
  // Where workers sleep, nobody is in the poller and nobody searches: wakes one, who will lie down
  // there. Also where loans would let all of them sleep on.
  void attend_poller() noexcept;
  // Whether workers sleep and nobody is in the poller.
  bool poller_is_unattended() noexcept;

 private:
  static constexpr std::uint64_t one_searching = 1;
  static constexpr std::uint64_t one_sleeping = std::uint64_t{1} << 32;
  static std::uint32_t searching(std::uint64_t summary) noexcept {
    return static_cast<std::uint32_t>(summary);
  }
  static std::uint32_t sleeping(std::uint64_t summary) noexcept {
    return static_cast<std::uint32_t>(summary >> 32);
  }
  bool wants_wake(std::uint64_t summary) const noexcept {
    return sleeping(summary) > borrowed_.load(std::memory_order_relaxed) && searching(summary) == 0;
  }

  // With the lock held: takes the sleeper off the list. It counts as searching from now on.
  void take_off(Sleeper& sleeper) noexcept;
  // Gives the token, and answers where the sleeper must be woken.
  Bed give_token(Sleeper& sleeper) noexcept;
  void rouse(Sleeper& sleeper, Bed bed) noexcept;

  os::Epoll& poller_;
  atomic<std::uint64_t> summary_{0};   // how many sleep, and how many search
  atomic<std::uint32_t> borrowed_{0};  // how many threads run at home in place of sleepers
  os::SpinLock lock_;
  Sleeper* newest_ = nullptr;     // guarded by lock_: who sleep on their own word
  Sleeper* in_poller_ = nullptr;  // guarded by lock_: who sleeps there and has no token yet
  bool poller_taken_ = false;     // guarded by lock_
};

}  // namespace weft::sched
