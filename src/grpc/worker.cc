// SPDX-License-Identifier: Apache-2.0
// Requests are armed, taken and replaced; calls are kept for the next.
#include "grpc/worker.h"

#include <absl/synchronization/mutex.h>

#include "grpc/unknown_call.h"

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
    : queue_(std::move(completions)),
      site_(site),
      completions_(static_cast<::grpc::ServerCompletionQueue*>(&queue_.completions())),
      counters_(site.methods.size()) {
  trust_lock_order();
  make_lines();
}
Worker::Worker(const Site& site)
    : poller_(std::make_unique<EpollPoller>()),
      queue_(*poller_),
      site_(site),
      counters_(site.methods.size()) {
  make_lines();
  port_ = std::make_unique<H2Port>(*this, *poller_);
}
Worker::~Worker() = default;

void Worker::make_lines() {
  queue_.keep(*this);
  for (const auto& method : site_.methods) {
    lines_.push_back({method.get(), 0, {}});
    lines_.back().idle.reserve(most_idle);
  }
}

void Worker::begin_serving() {
  if (port_ == nullptr) return begin_arming();
  arms_ = true;
  port_->open();
}

void Worker::stop_serving() {
  stop_arming();
  if (port_ != nullptr) port_->drain();
}

void Worker::begin_arming() {
  if (!std::exchange(arms_, true) && unknown_ != nullptr) UnknownCall::arm(*this);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    while (lines_[i].armed < site_.options.armed) arm_one(i);
  }
}

// Calls that are kept have coroutines, which are the queue's.
void Worker::stop_arming() noexcept {
  arms_ = false;
  for (Line& line : lines_) line.idle.clear();
}

std::unique_ptr<Call> Worker::idle_call(std::size_t index) {
  Line& line = lines_[index];
  std::unique_ptr<Call> call;
  if (line.idle.empty()) {
    call = line.method->make(*this);
  } else {
    call = std::move(line.idle.back());
    line.idle.pop_back();
  }
  call->line_ = index;
  return call;
}

void Worker::arm_one(std::size_t index) {
  std::unique_ptr<Call> call = idle_call(index);
  ++lines_[index].armed;
  add(counters_.armed, 1);
  queue_.begin_idle();
  call.release()->arm();  // its own, until it is over
}

Call& Worker::call_of(std::size_t index) {
  return *idle_call(index).release();  // its own, until it is over
}

// Another takes its place before it begins.
void Worker::is_taken(Call& call) {
  --lines_[call.line_].armed;
  add(counters_.armed, static_cast<std::uint64_t>(-1));
  queue_.end_idle();
  if (arms_) arm_one(call.line_);
}

void Worker::begins(Call& call) {
  add(counters_.started, 1);
  (call.has_longest_ ? in_time_ : others_).add(call);
}

void Worker::unknown_ends(bool was_delivered, std::string peer) {
  add(counters_.finished.back()[::grpc::StatusCode::UNIMPLEMENTED], 1);
  if (!site_.options.on_finished) return;
  site_.options.on_finished({UnknownCall::name,
                             ::grpc::StatusCode::UNIMPLEMENTED,
                             was_delivered,
                             {},
                             0,
                             0,
                             {},
                             std::move(peer)});
}

void Worker::will_not_begin(Call& call) noexcept {
  stop_arming();  // the server shuts down
  --lines_[call.line_].armed;
  add(counters_.armed, static_cast<std::uint64_t>(-1));
  queue_.end_idle();
  delete &call;
}

void Worker::is_over(Call& call) noexcept {
  (call.has_longest_ ? in_time_ : others_).remove(call);
  keep(call);
}

void Worker::Calls::add(Call& call) noexcept {
  call.older_ = newest;
  (newest != nullptr ? newest->newer_ : oldest) = &call;
  newest = &call;
}

void Worker::Calls::remove(Call& call) noexcept {
  (call.newer_ != nullptr ? call.newer_->older_ : newest) = call.older_;
  (call.older_ != nullptr ? call.older_->newer_ : oldest) = call.newer_;
  call.newer_ = call.older_ = nullptr;
}

// All have the same time, so who began first is first.
Worker::Instant Worker::next() const noexcept {
  if (in_time_.oldest == nullptr) return Instant::max();
  return in_time_.oldest->begun_ + site_.options.longest_call;
}

void Worker::see_to(Instant now) {
  while (next() <= now) {
    Call& call = *in_time_.oldest;
    in_time_.remove(call);
    call.has_longest_ = false;
    others_.add(call);
    call.cancel(CancelReason::deadline);
  }
}

void Worker::keep(Call& call) noexcept {
  std::unique_ptr<Call> own(&call);
  Line& line = lines_[call.line_];
  if (!arms_ || line.idle.size() >= most_idle) return;
  line.idle.push_back(std::move(own));
}

void Worker::cancel_all(CancelReason reason) {
  if (port_ != nullptr) port_->refuse_unbegun();
  // None goes meanwhile: a call is over when its tags have come, and this is no tag.
  for (const Calls& calls : {in_time_, others_}) {
    for (Call* call = calls.newest; call != nullptr; call = call->older_) call->cancel(reason);
  }
}

}  // namespace weft::grpc
