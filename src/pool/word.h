// SPDX-License-Identifier: Apache-2.0
// Word: the numbers that decide whether a worker is woken, in 64 bits that change together.
//
//   queued     20 bits  jobs that were accepted and that no worker has claimed
//   active     14 bits  workers that are up: they run a job, claim one, or search; not who block in
//                       a BlockingScope
//   parked     14 bits  workers that sleep and that nobody has begun to wake
//   allowed    14 bits  how many may be active; written by the monitor
//   searching   1 bit   a worker is up, or on its way, that has no job and will look for one
//   closed      1 bit   nothing more is accepted
//
// A wake is due when a job waits, a worker sleeps who may get up, and nobody is on the way to it:
//
//   due == queued > 0 && parked > 0 && active < allowed && !searching
//
// Every change that can make a wake due makes it in the same step: it takes one off `parked`, adds
// one to `active` and sets `searching`, and whoever did so wakes that one. Hence, of every value
// the word ever has:
//
//   !due
#pragma once

#include <cstdint>

namespace weft::pool {

class Word {
 public:
  static constexpr std::uint32_t most_queued = (1U << 20) - 1;
  static constexpr std::uint32_t most_workers = (1U << 14) - 1;

  constexpr Word() = default;
  constexpr explicit Word(std::uint64_t bits) noexcept : bits_(bits) {}
  constexpr std::uint64_t bits() const noexcept { return bits_; }

  constexpr std::uint32_t queued() const noexcept { return field(queued_at, most_queued); }
  constexpr std::uint32_t active() const noexcept { return field(active_at, most_workers); }
  constexpr std::uint32_t parked() const noexcept { return field(parked_at, most_workers); }
  constexpr std::uint32_t allowed() const noexcept { return field(allowed_at, most_workers); }
  constexpr bool searching() const noexcept { return field(searching_at, 1) != 0; }
  constexpr bool closed() const noexcept { return field(closed_at, 1) != 0; }

  constexpr bool due() const noexcept {
    return queued() > 0 && parked() > 0 && active() < allowed() && !searching();
  }
  // One job waits, or more, and nobody is on the way to it.
  constexpr bool left_waiting() const noexcept { return queued() > 0 && !searching(); }
  // And one more worker would be allowed to take it, but there is none.
  constexpr bool lacks_threads() const noexcept {
    return left_waiting() && parked() == 0 && active() < allowed();
  }

  constexpr Word add_queued(int change) const noexcept { return plus(queued_at, change); }
  constexpr Word add_active(int change) const noexcept { return plus(active_at, change); }
  constexpr Word add_parked(int change) const noexcept { return plus(parked_at, change); }
  constexpr Word with_allowed(std::uint32_t allowed) const noexcept {
    const std::uint64_t mask = std::uint64_t{most_workers} << allowed_at;
    return Word((bits_ & ~mask) | (std::uint64_t{allowed} << allowed_at));
  }
  constexpr Word with_searching(bool searching) const noexcept {
    return with_bit(searching_at, searching);
  }
  constexpr Word with_closed() const noexcept { return with_bit(closed_at, true); }

  // One of the parked is going to be woken.
  constexpr Word wake_one() const noexcept {
    return add_parked(-1).add_active(1).with_searching(true);
  }

  friend constexpr bool operator==(Word, Word) = default;

 private:
  static constexpr unsigned queued_at = 0;
  static constexpr unsigned active_at = 20;
  static constexpr unsigned parked_at = 34;
  static constexpr unsigned allowed_at = 48;
  static constexpr unsigned searching_at = 62;
  static constexpr unsigned closed_at = 63;

  constexpr std::uint32_t field(unsigned at, std::uint32_t mask) const noexcept {
    return static_cast<std::uint32_t>(bits_ >> at) & mask;
  }
  constexpr Word plus(unsigned at, int change) const noexcept {
    return Word(bits_ + (static_cast<std::uint64_t>(static_cast<std::int64_t>(change)) << at));
  }
  constexpr Word with_bit(unsigned at, bool set) const noexcept {
    const std::uint64_t bit = std::uint64_t{1} << at;
    return Word(set ? bits_ | bit : bits_ & ~bit);
  }

  std::uint64_t bits_ = 0;
};

}  // namespace weft::pool
