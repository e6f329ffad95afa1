// SPDX-License-Identifier: Apache-2.0
// The futex table: what the kernel's futex call does between threads of a process, for all that
// wait by park().
//
// Waiters stand in one of a fixed number of buckets, by the address of the word. The word is
// compared under the bucket's lock, and whoever wakes takes that lock after having changed the
// word: either the waiter sees the change, or it is in the bucket by then. So no wake-up is lost.
// The address is a name: of the functions only those read the word that say so, and whoever has
// been woken is free to give its memory back.
//
// A waiter that is requeued changes its bucket. Its own `word` says which one it is in; it is
// written under the locks of both.
#pragma once

#include <cstdint>

#include "base/atomic.h"
#include "fiber/fiber.h"
#include "sync/deadline.h"

namespace weft::sync::futex_table {

using Word = atomic<std::uint32_t>;

inline constexpr std::uint32_t any_bit = ~std::uint32_t{0};

// Waits while the word has the value. 0: woken; EAGAIN: it has another value; ETIMEDOUT; EINVAL: no
// bit, or no valid deadline.
int wait(const Word& word, std::uint32_t expected, std::uint32_t bits = any_bit,
         const Deadline& deadline = Deadline::none,
         fiber::ParkKind kind = fiber::ParkKind::futex) noexcept;

// Wakes those of the first waiters that have one of the bits, `count` of them, but one at least, as
// the kernel does. Answers how many.
int wake(const Word& word, int count, std::uint32_t bits = any_bit) noexcept;

// Wakes so many that wait for `word`, and makes so many of the others wait for `target` instead.
// Answers how many that were in all; -EAGAIN: `expected` is given, and the word has another value.
int requeue(const Word& word, int wake_count, const Word& target, int requeue_count,
            const std::uint32_t* expected = nullptr) noexcept;

// Changes `second` as the encoded operation says, wakes so many that wait for `first`, and if the
// operation's comparison holds for the old value, so many that wait for `second`. Answers how many;
// -ENOSYS: no such operation.
int wake_operation(const Word& first, int first_count, Word& second, int second_count,
                   std::uint32_t operation) noexcept;

// Empties the table in the child of a fork.
void forget_waiters() noexcept;

}  // namespace weft::sync::futex_table
