// SPDX-License-Identifier: Apache-2.0
// AloneAfter: spares the last thread of a program the turns that nobody else could take.
//
// The end of a runtime is a few turns in which its threads end, and thousands in which tables are
// given back by the only thread that is left.
#pragma once

#include <functional>
#include <utility>

#include "base/atomic_scheduler.h"

namespace weft::model {

// In its life the calling thread takes turns until `alone` says true, and none after that.
class AloneAfter final : public base::AtomicScheduler {
 public:
  explicit AloneAfter(std::function<bool()> alone)
      : alone_(std::move(alone)), scheduler_(*base::atomic_scheduler) {
    base::atomic_scheduler = this;
  }
  ~AloneAfter() { base::atomic_scheduler = &scheduler_; }

  void take_turn(base::AtomicOperation operation, const void* cell,
                 std::memory_order order) override {
    if (!is_alone_ && !alone_()) return scheduler_.take_turn(operation, cell, order);
    if (is_alone_) return;
    // What we have stored reaches memory: from here on we read it there.
    scheduler_.take_turn(base::AtomicOperation::fence, nullptr, std::memory_order_seq_cst);
    is_alone_ = true;
    base::atomic_scheduler = nullptr;
  }
  void yield() override { scheduler_.yield(); }
  const void* delayed_value(const void* cell) const override {
    return is_alone_ ? nullptr : scheduler_.delayed_value(cell);
  }
  bool delay(const base::AtomicStore& store, std::memory_order order) override {
    return !is_alone_ && scheduler_.delay(store, order);
  }
  void block_on(const void* cell, base::ScheduleTime deadline) override {
    scheduler_.block_on(cell, deadline);
  }
  void wake(const void* cell, std::size_t count) override { scheduler_.wake(cell, count); }
  void forget(const void* cell) override {
    base::atomic_scheduler = &scheduler_;  // which fails a schedule as itself
    scheduler_.forget(cell);
    base::atomic_scheduler = this;
  }
  void note_read(base::AtomicValue value) override { scheduler_.note_read(value); }
  void note_written(base::AtomicValue value) override { scheduler_.note_written(value); }

 private:
  const std::function<bool()> alone_;
  base::AtomicScheduler& scheduler_;
  bool is_alone_ = false;
};

}  // namespace weft::model
