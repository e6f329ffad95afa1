// SPDX-License-Identifier: Apache-2.0
// Frames come and go; and who is current.
#include "context/strand.h"

#include <utility>

namespace weft::context {
namespace {

constinit thread_local Strand* entered_strand = nullptr;
constinit thread_local Strand* own_strand = nullptr;

// Ends a thread's own strand with the thread. A guard that is later still finds none.
struct OwnStrandEnd {
  ~OwnStrandEnd() { delete std::exchange(own_strand, nullptr); }
};

}  // namespace

Strand* current_strand() noexcept {
  return entered_strand != nullptr ? entered_strand : own_strand;
}

Strand* enter(Strand* strand) noexcept {
  return std::exchange(entered_strand, strand);
}

Strand& make_current_strand() {
  if (Strand* const current = current_strand()) return *current;
  thread_local const OwnStrandEnd end;
  static_cast<void>(end);
  own_strand = new Strand;
  return *own_strand;
}

void release(Frame* frame) noexcept {
  if (frame->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete frame;
}

Strand::~Strand() {
  while (top_ != nullptr) release(std::exchange(top_, top_->below));
}

void Strand::restart(Reference first) noexcept {
  while (top_ != nullptr) release(std::exchange(top_, top_->below));
  first_ = std::move(first);
}

const Reference& Strand::head() noexcept {
  for (const Frame* frame = top_; frame != nullptr; frame = frame->below) {
    if (frame->ended.load(std::memory_order_acquire)) {
      take_out_ended();
      break;
    }
  }
  return top_ == nullptr ? first_ : top_->head;
}

Frame* Strand::push(Reference head, bool is_value) {
  auto* const frame = new Frame{top_, std::move(head), is_value};
  top_ = frame;
  return frame;
}

bool Strand::has(const Frame& frame) const noexcept {
  const Frame* each = top_;
  while (each != nullptr && each != &frame) each = each->below;
  return each != nullptr;
}

bool Strand::is_top(const Frame& frame) const noexcept {
  const Frame* each = top_;
  while (each != nullptr && each->ended.load(std::memory_order_relaxed)) each = each->below;
  return each == &frame;
}

// From the lowest one up: what is above one that has gone is seen without it.
void Strand::take_out_ended() noexcept {
  Frame* upside_down = nullptr;
  while (top_ != nullptr) {
    Frame* const frame = std::exchange(top_, top_->below);
    frame->below = std::exchange(upside_down, frame);
  }
  bool is_changed = false;
  while (upside_down != nullptr) {
    Frame* const frame = std::exchange(upside_down, upside_down->below);
    if (frame->ended.load(std::memory_order_acquire)) {
      is_changed = true;
      release(frame);
      continue;
    }
    const Reference& below = top_ == nullptr ? first_ : top_->head;
    if (is_changed && frame->is_value) frame->head = above(below, *frame->head.get());
    frame->below = std::exchange(top_, frame);
  }
}

}  // namespace weft::context
