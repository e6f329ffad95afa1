// SPDX-License-Identifier: Apache-2.0
// The changes of the word, and what each of them promises to do.
#include "pool/dispatch.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "arch/system_call.h"
#include "os/check.h"
#include "os/futex.h"

namespace weft::pool {
namespace {

constexpr int all = std::numeric_limits<int>::max();
constexpr std::uint32_t most_patience = 16;

// What the seat's worker gives up when it goes on to something else.
Word end_search(Word word, bool searching) noexcept {
  return searching ? word.with_searching(false) : word;
}

}  // namespace

Dispatch::Dispatch(const Options& options) noexcept
    : word_(Word().with_allowed(std::min(options.allowed, Word::most_workers)).bits()),
      jobs_(options.newest_first_above),
      capacity_(std::clamp<std::size_t>(options.capacity, 1, Word::most_queued)),
      spins_(options.spins) {}

bool Dispatch::change(Word& expected, Word desired) noexcept {
  std::uint64_t bits = expected.bits();
  if (word_.compare_exchange_strong(bits, desired.bits(), std::memory_order_seq_cst)) return true;
  expected = Word(bits);
  return false;
}

void Dispatch::after(Word before, Word now) noexcept {
  if (now.parked() < before.parked()) return wake_parked(Seat::search);
  tell_monitor(now);
}

void Dispatch::tell_monitor(Word now) noexcept {
  if (!now.left_waiting()) return;
  // Pairs with the stores in sleep_as_monitor() and rest_as_monitor().
  const std::uint32_t rest = monitor_rest_.load(std::memory_order_seq_cst);
  if (rest == until_jobs_wait || (rest == until_threads_lack && now.lacks_threads())) {
    wake_monitor();
  }
}

Submitted Dispatch::put(Job& job, bool waits, std::uint32_t& room) noexcept {
  JobAccess::accepted(job) =
      JobTimes::Instant{std::chrono::duration_cast<JobTimes::Instant::duration>(
          os::MonotonicClock::now().time_since_epoch())};
  Word word;
  Word now;
  {
    const std::scoped_lock guard(waiting_);
    if (closed_) return Submitted::closed;
    if (jobs_.length() >= capacity_) {
      if (waits) ++waiting_submitters_;
      room = room_.load(std::memory_order_relaxed);
      return Submitted::full;
    }
    jobs_.push(job);
    // In the lock, so that nobody closes between the list and the word.
    word = this->word();
    do {
      now = with_wake(word.add_queued(1));
    } while (!change(word, now));
  }
  after(word, now);
  return Submitted::accepted;
}

Submitted Dispatch::submit(Job& job, bool waits, const CancelToken& token) noexcept {
  for (;;) {
    std::uint32_t room = 0;
    const bool may_wait = waits && !token.is_cancelled();
    const Submitted answer = put(job, may_wait, room);
    if (answer != Submitted::full || !may_wait) return answer;
    // Asked again: who cancels from now on finds us waiting, and makes `room_` another.
    if (!token.is_cancelled()) os::futex_wait(room_, room);
    const std::scoped_lock guard(waiting_);
    --waiting_submitters_;
  }
}

Job& Dispatch::take() noexcept {
  Job* job = nullptr;
  bool room_is_wanted = false;
  {
    const std::scoped_lock guard(waiting_);
    os::check(jobs_.length() != 0, "weft: pool: a job was claimed that is not there");
    job = &jobs_.pop();
    room_is_wanted = waiting_submitters_ != 0;
    if (room_is_wanted) room_.fetch_add(1, std::memory_order_relaxed);
  }
  if (room_is_wanted) os::futex_wake(room_);
  return *job;
}

void Dispatch::enter() noexcept {
  Word word = this->word();
  while (!change(word, word.add_active(1))) continue;
}

Job* Dispatch::next(Seat& seat) noexcept {
  std::uint32_t looks = 0;
  Word word = this->word();
  for (;;) {
    if (word.queued() != 0 && (word.active() <= word.allowed() || word.closed())) {
      const Word now = with_wake(end_search(word.add_queued(-1), seat.searching_));
      if (!change(word, now)) continue;
      if (looks != 0) seat.patience_ = most_patience;
      seat.searching_ = false;
      after(word, now);
      return &take();
    }
    if (word.closed()) {
      if (!change(word, end_search(word.add_active(-1), seat.searching_))) continue;
      seat.searching_ = false;
      return nullptr;
    }
    if (word.queued() == 0 && looks < spins_for(seat)) {
      if (!seat.searching_ && !word.searching()) {
        seat.searching_ = change(word, word.with_searching(true));
        continue;
      }
      if (seat.searching_) {
        ++looks;
        arch::relax();
        word = this->word();
        continue;
      }
    }
    if (looks != 0 && seat.patience_ > 1) seat.patience_ /= 2;
    const Seat::Token token = park(seat, word);
    if (token == Seat::leave) return nullptr;
    if (token != Seat::none) looks = 0;
    word = this->word();
  }
}

std::uint32_t Dispatch::spins_for(const Seat& seat) const noexcept {
  const std::uint32_t spins = spins_.load(std::memory_order_relaxed);
  return (spins * seat.patience_ + most_patience - 1) / most_patience;
}

Seat::Token Dispatch::park(Seat& seat, Word word) noexcept {
  const Word now = end_search(word.add_active(-1).add_parked(1), seat.searching_);
  {
    const std::scoped_lock guard(parking_);
    if (!change(word, now)) return Seat::none;
    push(seat);
  }
  seat.searching_ = false;
  tell_monitor(now);
  std::uint32_t token = Seat::none;
  // Pairs with the store of who wakes.
  while ((token = seat.token_.load(std::memory_order_acquire)) == Seat::none) {
    os::futex_wait(seat.token_, Seat::none);
  }
  seat.token_.store(Seat::none, std::memory_order_relaxed);
  seat.searching_ = token == Seat::search;
  return static_cast<Seat::Token>(token);
}

void Dispatch::wake_parked(Seat::Token token) noexcept {
  Seat* seat = nullptr;
  {
    const std::scoped_lock guard(parking_);
    seat = newest_;
    os::check(seat != nullptr, "weft: pool: a worker was to be woken that is not there");
    take_off(*seat);
  }
  seat->token_.store(token, std::memory_order_release);
  os::futex_wake(seat->token_);
}

void Dispatch::push(Seat& seat) noexcept {
  seat.above_ = nullptr;
  seat.below_ = newest_;
  (newest_ == nullptr ? oldest_ : newest_->above_) = &seat;
  newest_ = &seat;
}

void Dispatch::take_off(Seat& seat) noexcept {
  (seat.above_ == nullptr ? newest_ : seat.above_->below_) = seat.below_;
  (seat.below_ == nullptr ? oldest_ : seat.below_->above_) = seat.above_;
}

void Dispatch::block() noexcept {
  Word word = this->word();
  Word now;
  do {
    now = with_wake(word.add_active(-1));
  } while (!change(word, now));
  after(word, now);
}

void Dispatch::unblock() noexcept {
  enter();
}

void Dispatch::allow(std::uint32_t workers) noexcept {
  const std::uint32_t allowed = std::min(workers, Word::most_workers);
  Word word = this->word();
  Word now;
  do {
    if (word.allowed() == allowed) return;
    now = with_wake(word.with_allowed(allowed));
  } while (!change(word, now));
  if (now.parked() < word.parked()) wake_parked(Seat::search);
}

bool Dispatch::nudge() noexcept {
  Word word = this->word();
  do {
    if (word.queued() == 0 || word.parked() == 0 || word.active() >= word.allowed()) return false;
  } while (!change(word, word.add_parked(-1).add_active(1)));
  wake_parked(Seat::work);
  return true;
}

bool Dispatch::retire_one() noexcept {
  Seat* seat = nullptr;
  {
    const std::scoped_lock guard(parking_);
    Word word = this->word();
    do {
      if (word.parked() == 0) return false;
    } while (!change(word, word.add_parked(-1)));
    seat = oldest_;
    take_off(*seat);
  }
  seat->token_.store(Seat::leave, std::memory_order_release);
  os::futex_wake(seat->token_);
  return true;
}

void Dispatch::sleep_as_monitor(os::Instant deadline) noexcept {
  // Pairs with the load in tell_monitor(), which comes after a change of the word.
  monitor_rest_.store(until_jobs_wait, std::memory_order_seq_cst);
  const Word now(word_.load(std::memory_order_seq_cst));
  if (now.queued() == 0 && !now.closed()) os::futex_wait(monitor_rest_, until_jobs_wait, deadline);
  monitor_rest_.store(up, std::memory_order_relaxed);
}

bool Dispatch::rest_as_monitor(os::Instant deadline) noexcept {
  // As above.
  monitor_rest_.store(until_threads_lack, std::memory_order_seq_cst);
  const Word now(word_.load(std::memory_order_seq_cst));
  const bool is_over = now.closed() && now.queued() == 0;
  if (!is_over && !now.lacks_threads()) {
    os::futex_wait(monitor_rest_, until_threads_lack, deadline);
  }
  monitor_rest_.store(up, std::memory_order_relaxed);
  return word().lacks_threads();
}

void Dispatch::wake_monitor() noexcept {
  monitor_rest_.store(up, std::memory_order_release);
  os::futex_wake(monitor_rest_);
}

void Dispatch::wake_submitters() noexcept {
  {
    const std::scoped_lock guard(waiting_);
    room_.fetch_add(1, std::memory_order_relaxed);
  }
  os::futex_wake(room_, all);
}

void Dispatch::close() noexcept {
  Word word;
  {
    const std::scoped_lock guard(waiting_);
    closed_ = true;
    room_.fetch_add(1, std::memory_order_relaxed);
    word = this->word();
    while (!change(word, word.with_closed())) continue;
  }
  os::futex_wake(room_, all);
  wake_monitor();
  word = this->word();
  while (word.parked() != 0) {
    if (!change(word, word.add_parked(-1).add_active(1))) continue;
    wake_parked(Seat::work);
    word = this->word();
  }
}

os::Instant Dispatch::oldest() noexcept {
  const std::scoped_lock guard(waiting_);
  Job* const job = jobs_.oldest();
  if (job == nullptr) return os::never;
  return os::Instant{JobAccess::accepted(*job).time_since_epoch()};
}

}  // namespace weft::pool
