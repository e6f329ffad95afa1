// SPDX-License-Identifier: Apache-2.0
// The buckets of the futex table.
#include "sync/futex_table.h"

#include <linux/futex.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <optional>

#include "os/spin_lock.h"
#include "sync/address_hash.h"
#include "sync/waiter.h"

namespace weft::sync::futex_table {
namespace {

struct FutexWaiter : Waiter {
  FutexWaiter(const Word& waited_for, std::uint32_t wanted) noexcept
      : word(&waited_for), bits(wanted) {}

  atomic<const Word*> word;  // guarded by the bucket's lock, but the waiter itself looks without
  const std::uint32_t bits;
};

struct alignas(bucket_alignment) Bucket {
  os::SpinLock lock;
  WaitQueue queue;
};

constinit std::array<Bucket, buckets> table;

Bucket& bucket_for(const Word& word) noexcept {
  return table[bucket_of(&word)];
}

// Those who are taken off a bucket, to be woken after its lock is released.
class Chosen {
 public:
  void add(Waiter& node) noexcept {
    (last_ == nullptr ? first_ : last_->next) = &node;
    last_ = &node;
    ++count_;
  }
  int count() const noexcept { return count_; }
  void wake_all() noexcept { wake_chain(first_, Waiter::woken); }

 private:
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
  int count_ = 0;
};

// Calls `take` for those that wait for the word with one of the bits, until it answers false.
template <class Take>
void for_each_waiter(Bucket& bucket, const Word& word, std::uint32_t bits, Take take) noexcept {
  Waiter* next = nullptr;
  for (Waiter* node = bucket.queue.front(); node != nullptr; node = next) {
    next = node->next;
    auto& waiter = static_cast<FutexWaiter&>(*node);
    if (waiter.word.load(std::memory_order_relaxed) != &word || (waiter.bits & bits) == 0) continue;
    if (!take(waiter)) return;
  }
}

void choose(Bucket& bucket, const Word& word, int count, std::uint32_t bits,
            Chosen& chosen) noexcept {
  int taken = 0;
  for_each_waiter(bucket, word, bits, [&](FutexWaiter& waiter) {
    bucket.queue.remove(waiter);
    chosen.add(waiter);
    return ++taken < count;
  });
}

// The locks of two buckets, or of one: lower addresses first, so that two of these cannot cross.
class TwoLocks {
 public:
  TwoLocks(Bucket& one, Bucket& other) noexcept
      : first_(&one < &other ? one : other), second_(&one < &other ? other : one) {
    first_.lock.lock();
    if (&first_ != &second_) second_.lock.lock();
  }
  ~TwoLocks() {
    if (&first_ != &second_) second_.lock.unlock();
    first_.lock.unlock();
  }
  TwoLocks(const TwoLocks&) = delete;
  TwoLocks& operator=(const TwoLocks&) = delete;

 private:
  Bucket& first_;
  Bucket& second_;
};

// Takes the node out of its bucket; false: somebody has, and wakes it.
bool leave(FutexWaiter& node) noexcept {
  for (;;) {
    const Word* const word = node.word.load(std::memory_order_relaxed);
    Bucket& bucket = bucket_for(*word);
    const std::lock_guard guard(bucket.lock);
    if (node.word.load(std::memory_order_relaxed) != word) continue;  // requeued meanwhile
    if (!node.queued) return false;
    bucket.queue.remove(node);
    return true;
  }
}

std::int32_t sign_extended(std::uint32_t twelve_bits) noexcept {
  return static_cast<std::int32_t>(twelve_bits << 20U) >> 20U;
}

// As the kernel decodes it; the comment on FUTEX_OP() in linux/futex.h.
struct Operation {
  explicit Operation(std::uint32_t encoded) noexcept
      : kind(encoded >> 28U & 7U),
        comparison(encoded >> 24U & 15U),
        operand(static_cast<std::uint32_t>(sign_extended(encoded >> 12U & 0xFFFU))),
        compared_with(sign_extended(encoded & 0xFFFU)) {
    if ((encoded >> 28U & FUTEX_OP_OPARG_SHIFT) != 0) operand = 1U << (operand & 31U);
  }

  std::optional<std::uint32_t> perform(Word& word) const noexcept {
    switch (kind) {
      case FUTEX_OP_SET:
        return word.exchange(operand);
      case FUTEX_OP_ADD:
        return word.fetch_add(operand);
      case FUTEX_OP_OR:
        return word.fetch_or(operand);
      case FUTEX_OP_ANDN:
        return word.fetch_and(~operand);
      case FUTEX_OP_XOR:
        return word.fetch_xor(operand);
      default:
        return std::nullopt;
    }
  }

  std::optional<bool> holds_for(std::uint32_t old_value) const noexcept {
    const auto old = static_cast<std::int32_t>(old_value);
    switch (comparison) {
      case FUTEX_OP_CMP_EQ:
        return old == compared_with;
      case FUTEX_OP_CMP_NE:
        return old != compared_with;
      case FUTEX_OP_CMP_LT:
        return old < compared_with;
      case FUTEX_OP_CMP_LE:
        return old <= compared_with;
      case FUTEX_OP_CMP_GT:
        return old > compared_with;
      case FUTEX_OP_CMP_GE:
        return old >= compared_with;
      default:
        return std::nullopt;
    }
  }

  std::uint32_t kind;
  std::uint32_t comparison;
  std::uint32_t operand;
  std::int32_t compared_with;
};

}  // namespace

int wait(const Word& word, std::uint32_t expected, std::uint32_t bits, const Deadline& deadline,
         fiber::ParkKind kind) noexcept {
  if (bits == 0 || !deadline.is_valid) return EINVAL;
  FutexWaiter node(word, bits);
  {
    Bucket& bucket = bucket_for(word);
    const std::lock_guard guard(bucket.lock);
    // Acquire, as a thread that waits no longer goes on with what the word told it.
    if (word.load(std::memory_order_acquire) != expected) return EAGAIN;
    bucket.queue.push_back(node);
  }
  if (wait_for_outcome(node, kind, &word, deadline)) return 0;
  if (leave(node)) return ETIMEDOUT;
  wait_for_outcome(node, kind, &word);
  return 0;
}

int wake(const Word& word, int count, std::uint32_t bits) noexcept {
  Chosen chosen;
  {
    Bucket& bucket = bucket_for(word);
    const std::lock_guard guard(bucket.lock);
    choose(bucket, word, count, bits, chosen);
  }
  chosen.wake_all();
  return chosen.count();
}

int requeue(const Word& word, int wake_count, const Word& target, int requeue_count,
            const std::uint32_t* expected) noexcept {
  Chosen chosen;
  int requeued = 0;
  {
    Bucket& from = bucket_for(word);
    Bucket& to = bucket_for(target);
    const TwoLocks guard(from, to);
    if (expected != nullptr && word.load(std::memory_order_acquire) != *expected) return -EAGAIN;
    for_each_waiter(from, word, any_bit, [&](FutexWaiter& waiter) {
      if (chosen.count() < wake_count) {
        from.queue.remove(waiter);
        chosen.add(waiter);
      } else if (requeued < requeue_count) {
        ++requeued;
        if (&word == &target) return true;  // it would be met again and again
        from.queue.remove(waiter);
        waiter.word.store(&target, std::memory_order_relaxed);
        to.queue.push_back(waiter);
      } else {
        return false;
      }
      return true;
    });
  }
  const int result = chosen.count() + requeued;
  chosen.wake_all();
  return result;
}

int wake_operation(const Word& first, int first_count, Word& second, int second_count,
                   std::uint32_t encoded) noexcept {
  const Operation operation(encoded);
  Chosen chosen;
  {
    Bucket& one = bucket_for(first);
    Bucket& other = bucket_for(second);
    const TwoLocks guard(one, other);
    const auto old_value = operation.perform(second);
    if (!old_value) return -ENOSYS;
    const auto holds = operation.holds_for(*old_value);
    if (!holds) return -ENOSYS;
    choose(one, first, first_count, any_bit, chosen);
    if (*holds) choose(other, second, second_count, any_bit, chosen);
  }
  chosen.wake_all();
  return chosen.count();
}

void forget_waiters() noexcept {
  for (Bucket& bucket : table) {
    bucket.queue.forget();
    bucket.lock.unlock();
  }
}

}  // namespace weft::sync::futex_table
