// SPDX-License-Identifier: Apache-2.0
// The wheel.
#include "net/deadlines.h"

#include <algorithm>
#include <climits>

namespace weft::net {

std::chrono::milliseconds patience_until(TimePoint until, TimePoint now) noexcept {
  using std::chrono::milliseconds;
  if (until == never) return milliseconds{-1};
  return std::clamp(std::chrono::ceil<milliseconds>(until - now), milliseconds{0},
                    milliseconds{INT_MAX});
}

void Deadline::unlink() noexcept {
  next_->previous_ = previous_;
  previous_->next_ = next_;
  next_ = previous_ = nullptr;
}

void Deadline::link_before(Deadline& head) noexcept {
  next_ = &head;
  previous_ = head.previous_;
  previous_->next_ = this;
  head.previous_ = this;
}

Deadlines::Deadlines(TimePoint now) noexcept : began_(now) {
  for (Deadline& head : heads_) close(head);
}

void Deadlines::close(Deadline& head) noexcept {
  head.next_ = head.previous_ = &head;
}

void Deadlines::take_reached(std::uint64_t last, Deadline& list) noexcept {
  const std::uint64_t behind = last > reached_ ? last - reached_ : 0;
  for (std::uint64_t ahead = 1; ahead <= std::min<std::uint64_t>(behind, slots); ++ahead) {
    Deadline& head = slot(reached_ + ahead);
    while (head.next_ != &head) {
      Deadline& deadline = *head.next_;
      deadline.unlink();
      deadline.link_before(list);
    }
  }
  reached_ += behind;
}

std::uint64_t Deadlines::tick_of(TimePoint at) const noexcept {
  if (at <= began_) return 0;
  return static_cast<std::uint64_t>((at - began_) / tick);
}

void Deadlines::set(Deadline& deadline, TimePoint at) noexcept {
  deadline.at_ = at;
  const std::uint64_t wanted = std::max(tick_of(at), reached_) + 1;
  if (deadline.is_set()) {
    if (deadline.tick_ <= wanted) return;  // found, and moved, when its slot is reached
    deadline.unlink();
    --count_;
  }
  // Further than the wheel is round: looked at on the way, once a round.
  deadline.tick_ = std::min(wanted, reached_ + slots - 1);
  deadline.link_before(slot(deadline.tick_));
  ++count_;
}

void Deadlines::cancel(Deadline& deadline) noexcept {
  if (!deadline.is_set()) return;
  deadline.unlink();
  --count_;
}

TimePoint Deadlines::next_look() const noexcept {
  if (count_ == 0) return never;
  for (std::uint64_t ahead = 1; ahead < slots; ++ahead) {
    const Deadline& head = heads_[(reached_ + ahead) % slots];
    if (head.next_ != &head) {
      return began_ + tick * static_cast<std::int64_t>(reached_ + ahead);
    }
  }
  return began_ + tick * static_cast<std::int64_t>(reached_ + slots);
}

}  // namespace weft::net
