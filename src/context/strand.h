// SPDX-License-Identifier: Apache-2.0
// Strand: where a thread, a fiber or a coroutine has its context; and who is the current one.
//
//   thread's own  --enter(strand)-->    strand        its values are seen, the thread's are not
//   strand        --enter(previous)-->  what was current before
//
// A strand is current on one thread at a time. What it sees is its own to change, and nobody
// else's: there is nothing here to lock.
#pragma once

#include <weft/context.h>

#include <cstdint>
#include <memory>

#include "base/atomic.h"

namespace weft::context {

// Never changes but for `ended`; so it is shared by whoever has captured it.
struct Node {
  const Key* key;  // none: of an attached context, which hides what is in `instead`
  std::shared_ptr<const void> value;
  Reference below;    // what else is seen
  Reference instead;  // what was seen before, and is again when this has ended
  std::uint32_t depth;
  atomic<bool> ended{false};  // the guard has gone where it should not, and this is passed over
  atomic<std::uint32_t> references{1};

  bool has_ended() const noexcept { return ended.load(std::memory_order_relaxed); }
  const Reference& next() const noexcept { return has_ended() ? instead : below; }
};

class Strand {
 public:
  constexpr Strand() = default;
  ~Strand() = default;
  Strand(const Strand&) = delete;
  Strand& operator=(const Strand&) = delete;

  Reference head;
  std::uint64_t name = 0;  // 0: not yet asked for
};

// The strand that runs here. Never inlined: a compiler that keeps the address of a thread's
// variable over a co_await would find another thread's.
[[gnu::noinline]] Strand& current_strand() noexcept;

// Makes a strand the current one, none: the thread's own; answers what was before. Never inlined,
// for the same reason.
[[gnu::noinline]] Strand* enter(Strand* strand) noexcept;

// What the current strand sees, for another to begin with.
Reference visible() noexcept;

}  // namespace weft::context
