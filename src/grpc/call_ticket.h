// SPDX-License-Identifier: Apache-2.0
// CallTicket: that a call was let in, from then until its handler is over.
//
//   waiting --the handler runs, and waits for something else-->  under way
//   waiting --it offloads-->       queued --a pool begins it-->  under way
//   either of these --its turn comes too late-->                 refused, and over
//   any     --the handler is over-->                             over
//
// It is the call's, and ambient in its handler: what the handler has begun elsewhere may outlive
// the call, and touches nothing when it is over.
#pragma once

#include <weft/admission_control.h>
#include <weft/coroutines.h>

#include <mutex>
#include <utility>

namespace weft::grpc {

class CallTicket final : public OffloadWatch {
 public:
  CallTicket(AdmissionControl& control, Ticket ticket) noexcept
      : control_(control), ticket_(std::move(ticket)) {}

  // Before the handler runs: whether it still may.
  Admission look() const noexcept {
    const std::scoped_lock guard(mutex_);
    return ticket_.look();
  }
  void handler_waits() const noexcept {
    const std::scoped_lock guard(mutex_);
    if (!is_queued_) start();
  }
  // Why what the handler offloaded was not begun; admitted, if it was.
  Admission refusal() const noexcept {
    const std::scoped_lock guard(mutex_);
    return refusal_;
  }
  void end() const noexcept {
    const std::scoped_lock guard(mutex_);
    ticket_ = {};
  }

  void queued() const noexcept override {
    const std::scoped_lock guard(mutex_);
    is_queued_ = true;
  }
  bool begins(const JobTimes& times) const noexcept override {
    const std::scoped_lock guard(mutex_);
    if (!ticket_) return refusal_.admitted();
    if (is_under_way_) {
      control_.record_wait(times.waited());  // the queue of a pool further down
      return true;
    }
    refusal_ = ticket_.begin();
    is_under_way_ = refusal_.admitted();
    return is_under_way_;
  }

 private:
  void start() const noexcept {
    is_under_way_ = true;
    ticket_.start();
  }

  AdmissionControl& control_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  mutable Ticket ticket_;
  mutable Admission refusal_;
  mutable bool is_queued_ = false;
  mutable bool is_under_way_ = false;
};

}  // namespace weft::grpc
