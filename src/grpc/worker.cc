// SPDX-License-Identifier: Apache-2.0
// Requests are armed, taken and replaced; calls are kept for the next.
#include "grpc/worker.h"

#include <absl/synchronization/mutex.h>

namespace weft::grpc {
namespace {

// gRPC's mutexes are Abseil's, which looks for cycles at each of them unless it was built with
// NDEBUG; Debian's was not. It is one setting for the whole process, and off in other builds.
void trust_lock_order() {
  [[maybe_unused]] static const bool once = [] {
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
    return true;
  }();
}

// Calls beyond this number are given back: a burst does not keep its memory.
constexpr std::size_t most_idle = 64;

}  // namespace

Worker::Worker(const Site& site, std::unique_ptr<::grpc::ServerCompletionQueue> completions)
    : site_(site),
      completions_(*completions),
      queue_(std::move(completions)),
      counters_(site.methods.size()) {
  trust_lock_order();
  for (const auto& method : site.methods) {
    lines_.push_back({method.get(), 0, {}});
    lines_.back().idle.reserve(most_idle);
  }
}
Worker::~Worker() = default;

void Worker::begin_arming() {
  arms_ = true;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    while (lines_[i].armed < site_.options.armed) arm_one(i);
  }
}

void Worker::arm_one(std::size_t index) {
  Line& line = lines_[index];
  std::unique_ptr<Call> call;
  if (line.idle.empty()) {
    call = line.method->make(*this);
  } else {
    call = std::move(line.idle.back());
    line.idle.pop_back();
  }
  call->line_ = index;
  ++line.armed;
  add(counters_.armed, 1);
  queue_.begin_idle();
  call.release()->arm();  // its own, until it is over
}

void Worker::begins(Call& call) {
  --lines_[call.line_].armed;
  add(counters_.armed, static_cast<std::uint64_t>(-1));
  queue_.end_idle();
  add(counters_.started, 1);
  call.older_ = newest_;
  if (newest_ != nullptr) newest_->newer_ = &call;
  newest_ = &call;
  if (arms_) arm_one(call.line_);
}

void Worker::will_not_begin(Call& call) noexcept {
  arms_ = false;  // the server shuts down
  --lines_[call.line_].armed;
  add(counters_.armed, static_cast<std::uint64_t>(-1));
  queue_.end_idle();
  delete &call;
}

void Worker::is_over(Call& call) noexcept {
  (call.newer_ != nullptr ? call.newer_->older_ : newest_) = call.older_;
  if (call.older_ != nullptr) call.older_->newer_ = call.newer_;
  call.newer_ = call.older_ = nullptr;
  keep(call);
}

void Worker::keep(Call& call) noexcept {
  std::unique_ptr<Call> own(&call);
  Line& line = lines_[call.line_];
  if (!arms_ || line.idle.size() >= most_idle) return;
  line.idle.push_back(std::move(own));
}

void Worker::cancel_all(CancelReason reason) {
  // None goes meanwhile: a call is over when its tags have come, and this is no tag.
  for (Call* call = newest_; call != nullptr; call = call->older_) call->cancel(reason);
}

}  // namespace weft::grpc
