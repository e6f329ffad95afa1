// SPDX-License-Identifier: Apache-2.0
// QueueContext: a completion queue of gRPC, and the one thread that serves it, as a context of
// Boost.Asio. With weft's own transport it is a poller's thread instead, and there is no gRPC.
//
//   queue.executor()     its work is done by the queue's thread
//   queue.strand()       the same, with the context (<weft/context.h>) of the caller around it
//
// Concepts
//   tag         what gRPC gives back when an operation is over; complete() runs on the thread
//   operation   one that gRPC still has, and whose tag will come
//   local work  posted by the thread itself: a plain list, without a lock or a system call
//   later work  the thread's own, too: a piece of it is done when no tag has come, or many have
//   mail        posted by other threads: a list that they add to in front; who finds it empty rings
//
// States
//   serving  --leave()-->  leaving  --nothing is outstanding-->  left: run() returns, may run again
//   leaving  --stay()-->   serving
//   leaving  --idle operations are outstanding-->  dormant: looks now and then, and waits elsewhere
//             than in gRPC, where it would see to the sockets of all
//   serving  --close()-->  closing  --nothing is outstanding-->  closed: for ever
//
// Invariants
//   - There is mail if, and only if, the bell (an alarm of gRPC, or the poller's) was rung and that
//     was not seen yet:
//     mail is taken when the tag comes, and never before. So one alarm is enough, and whoever adds
//     to mail that is there touches nothing afterwards.
//   - outstanding = operations + work that executors track; a queue with any is neither left nor
//     closed. Work that ends on another thread is mail, too.
//
// Timers and sockets of Asio that are made with such an executor work: Asio serves them by a thread
// of its own, one for each queue on which there ever was one, and they go on by mail. sleep_for()
// below needs no such thread, and sockets had better be made with Coroutines::executor().
//
// Rejected: to poll Asio's io_context and the completion queue in turns. Whichever waits, the other
// is late, or both are polled for nothing.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/recycling_allocator.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/context_executor.h>

namespace weft::grpc {

class QueueContext;

// What operations of gRPC are told apart by: its address.
class Tag {
 public:
  virtual void complete(bool is_ok) = 0;

 protected:
  Tag() = default;
  ~Tag() = default;
  Tag(const Tag&) = default;
  Tag& operator=(const Tag&) = default;
};

// What a queue's thread is to see to in time.
class Timetable {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  // max(): nothing.
  virtual Instant next() const noexcept = 0;
  // What is due by now.
  virtual void see_to(Instant now) = 0;

 protected:
  Timetable() = default;
  ~Timetable() = default;
  Timetable(const Timetable&) = default;
  Timetable& operator=(const Timetable&) = default;
};

// Something that is seen to at a time, by a poller. Goes when it is not set.
class Timer {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  // It is no longer set, and may be set again.
  virtual void expire() = 0;
  bool is_set() const noexcept { return place_ != nowhere; }
  Instant at() const noexcept { return at_; }

 protected:
  Timer() = default;
  ~Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  friend class Timers;
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  Instant at_;
  std::size_t place_ = nowhere;
};

// Where a queue's thread waits that does not wait in gRPC.
class Poller {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  // Sends what was written. True: there is more to do at once.
  virtual bool finish_round() = 0;
  // Sees to what has come, and waits for it until then. True: it was rung.
  virtual bool poll(Instant until) = 0;
  virtual void set(Timer& timer, Instant at) = 0;
  virtual void cancel(Timer& timer) noexcept = 0;
  // For any thread.
  virtual void ring() noexcept = 0;

 protected:
  Poller() = default;
  ~Poller() = default;
  Poller(const Poller&) = default;
  Poller& operator=(const Poller&) = default;
};

namespace queue {

// A function that waits to be run, or to be dropped.
struct Posted {
  using Act = void (*)(Posted* self, bool runs);
  explicit Posted(Act own) noexcept : act(own) {}
  Act act;
  Posted* next = nullptr;
};

// In the order in which they came.
class List {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  void add(Posted* posted) noexcept {
    posted->next = nullptr;
    *last_ = posted;
    last_ = &posted->next;
  }
  // Precondition: not empty.
  Posted* take() noexcept {
    Posted* const posted = std::exchange(first_, first_->next);
    if (first_ == nullptr) last_ = &first_;
    return posted;
  }

 private:
  Posted* first_ = nullptr;
  Posted** last_ = &first_;
};

// What all copies of an executor share.
struct Strand {
  explicit Strand(QueueContext& own) noexcept : queue(&own) {}
  QueueContext* queue;
  std::optional<coroutine::Home> home;  // none: what is run has the thread's context
};

template <class Function>
struct PostedFunction final : Posted {
  using Allocator = boost::asio::recycling_allocator<PostedFunction>;

  template <class Given>
  PostedFunction(std::shared_ptr<Strand> in, Given&& given)
      : Posted(&act_on), strand(std::move(in)), function(std::forward<Given>(given)) {}

  static void act_on(Posted* self, bool runs);

  std::shared_ptr<Strand> strand;
  Function function;
};

}  // namespace queue

// As any_io_executor wants them; small enough to be kept there without an allocation.
class QueueExecutor {
 public:
  explicit QueueExecutor(std::shared_ptr<queue::Strand> strand) noexcept
      : strand_(std::move(strand)) {}
  QueueExecutor(const QueueExecutor& other) noexcept
      : QueueExecutor(other.strand_, other.may_run_at_once_, other.is_tracked_) {}
  QueueExecutor(QueueExecutor&& other) noexcept
      : strand_(std::move(other.strand_)),
        may_run_at_once_(other.may_run_at_once_),
        is_tracked_(std::exchange(other.is_tracked_, false)) {}
  QueueExecutor& operator=(QueueExecutor other) noexcept {
    std::swap(strand_, other.strand_);
    std::swap(may_run_at_once_, other.may_run_at_once_);
    std::swap(is_tracked_, other.is_tracked_);
    return *this;
  }
  ~QueueExecutor();

  template <class Function>
  void execute(Function&& function) const;

  QueueContext& query(boost::asio::execution::context_t) const noexcept { return *strand_->queue; }
  // A strand of Asio's asks, and runs things at once where the answer is not `never`.
  boost::asio::execution::blocking_t query(boost::asio::execution::blocking_t) const noexcept {
    namespace execution = boost::asio::execution;
    return may_run_at_once_ ? execution::blocking_t(execution::blocking.possibly)
                            : execution::blocking_t(execution::blocking.never);
  }
  QueueExecutor require(boost::asio::execution::blocking_t::never_t) const noexcept {
    return {strand_, false, is_tracked_};
  }
  QueueExecutor require(boost::asio::execution::blocking_t::possibly_t) const noexcept {
    return {strand_, true, is_tracked_};
  }
  QueueExecutor require(boost::asio::execution::outstanding_work_t::tracked_t) const noexcept {
    return {strand_, may_run_at_once_, true};
  }
  QueueExecutor require(boost::asio::execution::outstanding_work_t::untracked_t) const noexcept {
    return {strand_, may_run_at_once_, false};
  }
  QueueExecutor require(boost::asio::execution::relationship_t::fork_t) const noexcept {
    return *this;
  }
  QueueExecutor require(boost::asio::execution::relationship_t::continuation_t) const noexcept {
    return *this;
  }

  bool operator==(const QueueExecutor&) const noexcept = default;

 private:
  QueueExecutor(std::shared_ptr<queue::Strand> strand, bool may_run_at_once,
                bool is_tracked) noexcept;

  std::shared_ptr<queue::Strand> strand_;
  bool may_run_at_once_ = true;
  bool is_tracked_ = false;
};

class QueueContext : public boost::asio::execution_context {
 public:
  explicit QueueContext(std::unique_ptr<::grpc::CompletionQueue> completions);
  // It outlives the queue.
  explicit QueueContext(Poller& poller);
  // Precondition: closed, or never used.
  ~QueueContext();
  QueueContext(const QueueContext&) = delete;
  QueueContext& operator=(const QueueContext&) = delete;

  QueueExecutor executor() const noexcept { return QueueExecutor(plain_); }
  QueueExecutor strand() { return QueueExecutor(make_strand()); }
  std::shared_ptr<queue::Strand> make_strand();

  // Serves, until it is left or closed. One thread at a time.
  void run();
  // Whose thread this is; none: of no queue.
  [[gnu::noinline]] static QueueContext* current() noexcept;
  bool is_here() const noexcept { return current() == this; }

  // Before it runs: what is seen to when it is time, or a few tags later.
  void keep(Timetable& timetable) noexcept { timetable_ = &timetable; }

  // For the queue's own thread.
  void leave() noexcept { mode_ = Mode::leaving; }
  void stay() noexcept { mode_ = Mode::serving; }
  void close() noexcept { mode_ = Mode::closing; }
  // Throws std::logic_error where there is a poller instead.
  ::grpc::CompletionQueue& completions();
  // None: it waits in gRPC.
  Poller* poller() noexcept { return poller_; }
  // Counts an operation that is about to begin, and answers the tag it is to have.
  void* begin(Tag& tag) noexcept {
    ++operations_;
    return &tag;
  }
  // Of an operation that is not gRPC's: it is over.
  void end(Tag& tag, bool is_ok) {
    --operations_;
    tag.complete(is_ok);
  }
  // Of the operations, one is now idle: it may never end, and need not be seen to at once.
  void begin_idle() noexcept { ++idle_operations_; }
  void end_idle() noexcept { --idle_operations_; }
  // Of the work that executors track: some of it is not waited for, or is so again.
  void add_work(std::int64_t number) noexcept { work_ += number; }
  std::int64_t work() const noexcept { return work_; }

  void post_later(queue::Posted* posted) noexcept { later_.add(posted); }

  // For any thread. What is posted to a closed queue is dropped.
  void post(queue::Posted* posted) noexcept;
  // For any thread: begun on a thread that holds such work already, or on the queue's own.
  void work_begins() noexcept;
  void work_ends() noexcept;

 private:
  enum class Mode : std::uint8_t { serving, leaving, closing };
  class Bell final : public Tag {
   public:
    explicit Bell(QueueContext& queue) noexcept : queue_(queue) {}
    void complete(bool is_ok) override;
    void ring() noexcept;

   private:
    QueueContext& queue_;
    ::grpc::Alarm alarm_;
  };

  void take_mail() noexcept;
  void run_some();
  void run_later();
  void take_tags(bool may_wait);
  void look_at_the_clock();
  // Until when it may be waited.
  Timetable::Instant next_look(bool may_wait) const noexcept;
  bool is_over() noexcept;
  bool is_dormant() const noexcept;
  void end() noexcept;

  const std::unique_ptr<::grpc::CompletionQueue> completions_;  // none: there is a poller
  Poller* const poller_ = nullptr;
  const std::shared_ptr<queue::Strand> plain_;

  Timetable* timetable_ = nullptr;

  // The thread's own.
  Mode mode_ = Mode::serving;
  bool is_nested_ = false;  // run by what another queue sees to
  queue::List local_;
  queue::List later_;
  std::uint64_t operations_ = 0;
  std::uint64_t idle_operations_ = 0;
  std::int64_t work_ = 0;
  bool is_closed_ = false;

  // Anybody's.
  alignas(64) std::atomic<queue::Posted*> mail_{nullptr};
  std::atomic<std::int64_t> work_begun_elsewhere_{0};
  Bell bell_{*this};
};

// Throw when the coroutine is cancelled. On a queue's thread by an alarm of gRPC, or by its poller;
// elsewhere as weft::sleep_for().
boost::asio::awaitable<void> sleep_until(std::chrono::steady_clock::time_point deadline);
boost::asio::awaitable<void> sleep_for(std::chrono::nanoseconds duration);

template <class Function>
void queue::PostedFunction<Function>::act_on(Posted* self, bool runs) {
  auto* const own = static_cast<PostedFunction*>(self);
  const std::shared_ptr<Strand> in = std::move(own->strand);
  std::optional<coroutine::Home::Visit> visit;
  if (in->home) visit.emplace(*in->home);
  // Gone before the visit is over, what it owns may hold guards; and its memory before it is run,
  // which is likely to want some.
  Function function = std::move(own->function);
  std::destroy_at(own);
  Allocator().deallocate(own, 1);
  if (runs) function();
}

template <class Function>
void QueueExecutor::execute(Function&& function) const {
  if (may_run_at_once_ && strand_->queue->is_here()) {
    const std::shared_ptr<queue::Strand> in = strand_;
    std::optional<coroutine::Home::Visit> visit;
    if (in->home) visit.emplace(*in->home);
    auto own = std::forward<Function>(function);
    own();
    return;
  }
  using Posted = queue::PostedFunction<std::decay_t<Function>>;
  Posted* const posted = typename Posted::Allocator().allocate(1);
  std::construct_at(posted, strand_, std::forward<Function>(function));
  strand_->queue->post(posted);
}

}  // namespace weft::grpc
