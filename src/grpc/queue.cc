// SPDX-License-Identifier: Apache-2.0
// A completion queue's thread: local work, mail, and the tags of gRPC.
#include <weft/grpc_queue.h>

#include <stdexcept>
#include <thread>

#include "grpc/clock.h"
#include "os/check.h"

namespace weft::grpc {
namespace {

constinit thread_local QueueContext* current_queue = nullptr;

// Work that posts work must not keep the completion queue from being looked at.
constexpr int most_at_once = 64;

// Of local work, and of later work, before the poller is looked at again.
constexpr std::chrono::microseconds longest_turn(200);

// Tags, before a piece of later work is done all the same.
constexpr int most_tags = 16;

// How often a queue is looked at that is to be left, and has nothing but idle operations.
constexpr std::chrono::milliseconds dormant_interval(5);

// Stands at the end of the mail of a queue that is closed.
void never(queue::Posted*, bool) {}
queue::Posted closed(never);

class Entered {
 public:
  explicit Entered(QueueContext* queue) noexcept : previous_(std::exchange(current_queue, queue)) {}
  ~Entered() { current_queue = previous_; }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  bool is_nested() const noexcept { return previous_ != nullptr; }

 private:
  QueueContext* previous_;
};

struct WorkEnds final : queue::Posted {
  explicit WorkEnds(QueueContext& queue) noexcept : Posted(&act_on), own(queue) {}
  static void act_on(Posted* self, bool runs) {
    const std::unique_ptr<WorkEnds> ends(static_cast<WorkEnds*>(self));
    if (runs) ends->own.work_ends();
  }
  QueueContext& own;
};

}  // namespace

QueueExecutor::QueueExecutor(std::shared_ptr<queue::Strand> strand, bool may_run_at_once,
                             bool is_tracked) noexcept
    : strand_(std::move(strand)), may_run_at_once_(may_run_at_once), is_tracked_(is_tracked) {
  if (is_tracked_) strand_->queue->work_begins();
}
QueueExecutor::~QueueExecutor() {
  if (is_tracked_) strand_->queue->work_ends();
}

QueueContext::QueueContext(std::unique_ptr<::grpc::CompletionQueue> completions)
    : completions_(std::move(completions)), plain_(std::make_shared<queue::Strand>(*this)) {}

QueueContext::QueueContext(Poller& poller)
    : poller_(&poller), plain_(std::make_shared<queue::Strand>(*this)) {}

QueueContext::~QueueContext() {
  // Services of Asio may hold handlers, which hold executors.
  shutdown();
  destroy();
  if (is_closed_) return;
  close();
  run();
}

::grpc::CompletionQueue& QueueContext::completions() {
  if (completions_ != nullptr) return *completions_;
  throw std::logic_error(
      "weft::grpc: weft's own transport has no completion queue of gRPC: use one of your own, or "
      "Transport::grpc");
}

std::shared_ptr<queue::Strand> QueueContext::make_strand() {
  auto strand = std::make_shared<queue::Strand>(*this);
  strand->home.emplace();
  return strand;
}

QueueContext* QueueContext::current() noexcept {
  return current_queue;
}

void QueueContext::run() {
  if (is_closed_) return;
  const Entered entered(this);
  is_nested_ = entered.is_nested();
  if (mode_ == Mode::leaving) mode_ = Mode::serving;
  for (;;) {
    run_some();
    const bool has_more = poller_ != nullptr && poller_->finish_round();
    if (is_over()) return;
    if (poller_ != nullptr) {
      if (poller_->poll(next_look(!has_more))) take_mail();
    } else {
      const bool rests = is_dormant();
      if (rests) std::this_thread::sleep_for(dormant_interval);
      take_tags(!rests);
    }
    look_at_the_clock();
    run_later();
  }
}

// gRPC is looked at again before each piece. A poller takes all that has come at once, and what was
// answered is sent when it is looked at: so several pieces follow each other, for a moment.
void QueueContext::run_later() {
  if (later_.empty()) return;
  const auto until = Timetable::Instant::clock::now() + longest_turn;
  int pieces = 0;
  do {
    queue::Posted* const posted = later_.take();
    posted->act(posted, true);
    if (poller_ == nullptr) return;
  } while (!later_.empty() && ++pieces < most_at_once && Timetable::Instant::clock::now() < until);
}

// What ends while a tag is seen to, gRPC hands over without queueing it: to one queue of a thread.
// Another that is run by what is seen to there would take it away.
void QueueContext::take_tags(bool may_wait) {
  gpr_timespec until = timespec_of(next_look(may_wait));
  void* tag = nullptr;
  bool is_ok = false;
  const auto see_to_it = [&] {
    --operations_;
    static_cast<Tag*>(tag)->complete(is_ok);
    run_some();
    // Else it may be over; read when this is done.
    until = timespec_of(next_look(mode_ == Mode::serving));
  };
  auto next = completions_->AsyncNext(&tag, &is_ok, until);
  for (int tags = 1; next == ::grpc::CompletionQueue::GOT_EVENT; ++tags) {
    if (tags == most_tags || is_nested_) return see_to_it();
    next = completions_->DoThenAsyncNext(see_to_it, &tag, &is_ok, until);
  }
}

Timetable::Instant QueueContext::next_look(bool may_wait) const noexcept {
  const bool waits = may_wait && local_.empty() && later_.empty();
  if (!waits) return Timetable::Instant::min();
  return timetable_ == nullptr ? Timetable::Instant::max() : timetable_->next();
}

void QueueContext::look_at_the_clock() {
  if (timetable_ == nullptr || timetable_->next() == Timetable::Instant::max()) return;
  timetable_->see_to(Timetable::Instant::clock::now());
}

// With a poller, what was answered is not sent before it is looked at again.
void QueueContext::run_some() {
  if (local_.empty()) return;
  const bool is_timed = poller_ != nullptr;
  const auto until =
      is_timed ? Timetable::Instant::clock::now() + longest_turn : Timetable::Instant::max();
  for (int i = 0; i < most_at_once && !local_.empty(); ++i) {
    queue::Posted* const posted = local_.take();
    posted->act(posted, true);
    if (is_timed && Timetable::Instant::clock::now() >= until) return;
  }
}

bool QueueContext::is_over() noexcept {
  if (mode_ == Mode::serving || operations_ != 0 || !local_.empty() || !later_.empty())
    return false;
  // Pairs with work_begins(), whose mail has come by now where it counts.
  if (work_ + work_begun_elsewhere_.load(std::memory_order_relaxed) != 0) return false;
  queue::Posted* none = nullptr;
  if (mode_ == Mode::leaving) return mail_.load(std::memory_order_relaxed) == none;
  if (!mail_.compare_exchange_strong(none, &closed, std::memory_order_acquire)) return false;
  end();
  return true;
}

bool QueueContext::is_dormant() const noexcept {
  return mode_ == Mode::leaving && operations_ == idle_operations_ && local_.empty() &&
         later_.empty() && work_ + work_begun_elsewhere_.load(std::memory_order_relaxed) == 0;
}

// Nothing of gRPC is outstanding, and nobody rings any more.
void QueueContext::end() noexcept {
  is_closed_ = true;
  if (completions_ == nullptr) return;
  completions_->Shutdown();
  void* tag = nullptr;
  bool is_ok = false;
  while (completions_->Next(&tag, &is_ok)) {
    os::check(false, "an operation of gRPC was not counted");
  }
}

void QueueContext::post(queue::Posted* posted) noexcept {
  if (is_here()) return local_.add(posted);
  queue::Posted* newest = mail_.load(std::memory_order_relaxed);
  do {
    if (newest == &closed) return posted->act(posted, false);
    posted->next = newest;
    // Pairs with the exchange in take_mail().
  } while (!mail_.compare_exchange_weak(newest, posted, std::memory_order_release,
                                        std::memory_order_relaxed));
  if (newest == nullptr) bell_.ring();
}

// The newest stands in front, and goes last.
void QueueContext::take_mail() noexcept {
  queue::Posted* newest = mail_.exchange(nullptr, std::memory_order_acquire);
  queue::Posted* oldest = nullptr;
  while (newest != nullptr) {
    queue::Posted* const next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  while (oldest != nullptr) local_.add(std::exchange(oldest, oldest->next));
}

// Long ago: what is due at once is told by the thread that asks, and not by one that keeps timers.
void QueueContext::Bell::ring() noexcept {
  if (queue_.poller_ != nullptr) return queue_.poller_->ring();
  alarm_.Set(queue_.completions_.get(), ::gpr_inf_past(GPR_CLOCK_MONOTONIC),
             static_cast<Tag*>(this));
}

void QueueContext::Bell::complete(bool) {
  ++queue_.operations_;  // rung by others, who cannot count
  queue_.take_mail();
}

void QueueContext::work_begins() noexcept {
  if (is_here()) {
    ++work_;
  } else {
    work_begun_elsewhere_.fetch_add(1, std::memory_order_relaxed);
  }
}

void QueueContext::work_ends() noexcept {
  if (is_here()) {
    --work_;
  } else {
    post(new WorkEnds(*this));
  }
}

}  // namespace weft::grpc
