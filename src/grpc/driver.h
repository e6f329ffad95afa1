// SPDX-License-Identifier: Apache-2.0
// Driver: a coroutine that runs the handlers of one call after another, and waits in between: to
// spawn one takes longer than most handlers do.
//
//   idle  --run(call)-->                        busy: in the context that it was given
//   busy  --the handler is over-->              idle
//   busy  --the same, and it was cancelled-->   over: a coroutine of Asio's stays cancelled
//   idle  --stop()-->                           over
//
// Invariants
//   - All of it happens on the queue's thread.
//   - While it is idle, the queue does not wait for it.
//   - It is reused only when nobody else has its executor: then all that the last handler has begun
//     on it is over, and the next call's context is seen by nobody but the next call.
#pragma once

#include <weft/grpc_queue.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <cstdint>
#include <memory>

namespace weft::grpc {

class Call;

class Driver {
 public:
  // Throws std::bad_alloc.
  static std::shared_ptr<Driver> start(QueueContext& queue);
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Until the handler waits, or is over. Precondition: idle.
  void run(Call& call, context::Reference context);
  // Cancels what the handler waits for, where there is one.
  void cancel();
  // Of one whose handler is over: whether it can have another. If so, it forgets the last one's
  // context; if not, it is let go of.
  bool rests() noexcept;
  // Precondition: over, or idle.
  void stop();

 private:
  explicit Driver(QueueContext& queue);

  struct Waiter {
    virtual void resume(Call* call) = 0;

   protected:
    ~Waiter() = default;
  };
  template <class Handler>
  class WaiterOf;

  static boost::asio::awaitable<void> drive(std::shared_ptr<Driver> self);
  boost::asio::awaitable<Call*> next();
  void resume(Call* call);

  QueueContext& queue_;
  const std::shared_ptr<queue::Strand> strand_;
  boost::asio::cancellation_signal signal_;
  Waiter* waiter_ = nullptr;  // none: busy, or over
  bool is_cancelled_ = false;
  long owners_ = 0;        // of the strand, while it is idle
  std::int64_t work_ = 0;  // that Asio has the queue wait for, as long as the coroutine lives
};

}  // namespace weft::grpc
