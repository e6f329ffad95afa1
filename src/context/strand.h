// SPDX-License-Identifier: Apache-2.0
// Strand: where a thread, a fiber or a coroutine has its context; and who is the current one.
//
//   thread's own  --enter(strand)-->    strand        its values are seen, the thread's are not
//   strand        --enter(previous)-->  what was current before
//
//   context   a list of values, newest first. Nothing of it ever changes.
//   source    a value of such a list that stands for several, which it makes when somebody asks.
//   frame     what one guard has done to a strand: the context that is seen since. The strand's
//             frames are a stack; the guard has one of them, and says when it ends.
//
// Only the strand's own thread touches its frames, but for `ended`, which a guard on another thread
// may set: so it is an atomic, and a frame is counted by both. Ended frames are taken out, and
// those above them made anew, the next time that the strand looks.
#pragma once

#include <weft/context.h>

#include <cstdint>
#include <memory>

#include "base/atomic.h"

namespace weft::context {

// Asked on any thread, and by several at once.
class Source {
 public:
  virtual ~Source() = default;
  // None: it has no such value. What it answers is good for as long as the source lives.
  virtual const void* find(const Key& key) const noexcept = 0;
};

struct Node {
  const Key* key;
  std::shared_ptr<const void> value;
  const Source* source;  // the value as such; none: it is no source
  Reference below;
  std::uint32_t depth;
  atomic<std::uint32_t> references{1};
};

struct Frame {
  Frame* below = nullptr;  // the strand's
  Reference head;          // what is seen
  bool is_value = false;   // of the first node; else of a context that hides all below
  atomic<bool> ended{false};
  atomic<std::uint32_t> references{2};  // the strand's and the guard's
};

class Strand {
 public:
  // Begins with a context, which no guard takes away.
  explicit Strand(Reference first = {}) noexcept : first_(std::move(first)) {}
  ~Strand();
  Strand(const Strand&) = delete;
  Strand& operator=(const Strand&) = delete;

  // Begins anew. Guards that are left have no more to end.
  void restart(Reference first) noexcept;
  // What is seen. Ended frames are taken out first.
  const Reference& head() noexcept;
  // A frame above all others.
  Frame* push(Reference head, bool is_value);
  bool has(const Frame& frame) const noexcept;
  // Of those that have not ended.
  bool is_top(const Frame& frame) const noexcept;

 private:
  void take_out_ended() noexcept;

  Reference first_;
  Frame* top_ = nullptr;
};

// The strand that runs here. Never inlined: a compiler that keeps the address of a thread's
// variable over a co_await would find another thread's. None: the thread has none yet, or it ends.
[[gnu::noinline]] Strand* current_strand() noexcept;

// The same, and where there is none, it is made.
Strand& make_current_strand();

// The value of `node`, above `below`.
Reference above(const Reference& below, const Node& node) noexcept;

// One of two who count it lets go of it.
void release(Frame* frame) noexcept;

// Makes a strand the current one, none: the thread's own; answers what was before. Never inlined,
// for the same reason.
[[gnu::noinline]] Strand* enter(Strand* strand) noexcept;

// What the current strand sees, for another to begin with.
Reference visible() noexcept;
// The same, and above it a source; the key says which sources have the same values.
Reference visible_with(const Key& key, std::shared_ptr<const Source> source);

}  // namespace weft::context
