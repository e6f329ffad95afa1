// SPDX-License-Identifier: Apache-2.0
// CoroutineLine: one connection of a server of coroutines. For coroutine*.cc only; see
// coroutines.h.
#pragma once

#include <weft/pool.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "base/atomic.h"
#include "net/stream.h"
#include "serve/body_memory.h"
#include "serve/counters.h"
#include "serve/exchange.h"
#include "serve/guests.h"
#include "serve/handler_token.h"
#include "serve/hang_ups.h"
#include "serve/operation_memory.h"
#include "serve/reactor.h"
#include "serve/site.h"
#include "serve/tls_source.h"

namespace weft::serve {

namespace asio = boost::asio;

using LoopExecutor = asio::io_context::executor_type;
template <class Value>
using Task = asio::awaitable<Value, LoopExecutor>;
inline constexpr asio::use_awaitable_t<LoopExecutor> awaited;
using LoopTimer =
    asio::basic_waitable_timer<std::chrono::steady_clock,
                               asio::wait_traits<std::chrono::steady_clock>, LoopExecutor>;
// Tells when a descriptor is ready; who reads and writes is the stream.
using Readiness = asio::posix::basic_stream_descriptor<LoopExecutor>;

// What all connections of a server have in common.
struct CoroutineHouse {
  const ReactorLimits limits;
  Site& site;
  Pool pool;
  TlsSource tls;
  BodyMemory memory;
  Counters counters;
  AccessLog* log = nullptr;
  atomic<bool> draining{false};   // everything says that it is the last
  atomic<bool> abandoned{false};  // nobody waits for anything any more
  HangUps hang_ups;
};

// Everything is for the thread of its loop, but for what a worker does while the coroutine waits
// for it.
class CoroutineLine : public std::enable_shared_from_this<CoroutineLine> {
 public:
  // Throws where there is no memory, or no room in epoll.
  CoroutineLine(CoroutineHouse& house, const LoopExecutor& executor, os::Descriptor socket,
                Guest guest);
  ~CoroutineLine();
  CoroutineLine(const CoroutineLine&) = delete;
  CoroutineLine& operator=(const CoroutineLine&) = delete;

  // Until the connection ends. Throws where there is no memory.
  Task<void> converse();

  // An idle one ends soon, unless a request is on its way.
  void begin_drain();
  // Ends as soon as no handler runs; the house is abandoned.
  void abandon();

 private:
  template <class Handler>
  class Offloaded;

  Task<void> answer();
  Task<void> answer_elsewhere();
  // The next pieces of a streamed body.
  Task<void> go_on();
  using Work = void (CoroutineLine::*)() noexcept;
  // What is not run, for want of room or of time, is refused.
  Task<void> elsewhere(Work run, Work refuse);
  Task<void> keep_back(std::chrono::nanoseconds time);
  // All answer whether the connection goes on.
  Task<bool> flush();
  Task<bool> read();
  Task<bool> wait(bool to_write, http::TimePoint until);
  Task<void> linger();
  Task<void> give_way();

  // With an idle connection, when the server ends.
  std::chrono::milliseconds patience() const noexcept {
    return stream_.is_shaking_hands() ? house_.limits.drain_handshake : house_.limits.drain_idle;
  }
  Request request() const noexcept {
    return {exchange_.head(), exchange_.body(), guest_.peer().host, exchange_.asked()};
  }
  bool is_draining() const noexcept { return house_.draining.load(std::memory_order_relaxed); }
  bool is_abandoned() const noexcept { return house_.abandoned.load(std::memory_order_relaxed); }
  void respond(const Response& response);
  // By a worker.
  void answer_here() noexcept;
  void refuse_for_load() noexcept;
  void go_on_here() noexcept;
  void try_again() noexcept { must_try_again_ = true; }
  template <class Fill>
  void respond_or_give_up(Fill fill) noexcept;
  // Sees to it that the alarm rings when the wait is over, or before.
  void set_alarm();
  void alarm_rang(http::TimePoint at);

  CoroutineHouse& house_;
  const Guest guest_;  // before all that is to end before it leaves
  net::Stream stream_;
  const std::shared_ptr<HandlerToken> handler_ = std::make_shared<HandlerToken>();
  const HangUps::Watch watch_;  // goes before the socket is closed
  Exchange exchange_;
  Readiness readiness_;
  LoopTimer alarm_;
  OperationMemory way_back_;                        // from a worker
  http::TimePoint until_ = http::TimePoint::max();  // of the wait under way
  http::TimePoint rings_ = http::TimePoint::max();  // the alarm
  bool is_drained_ = false;                         // the last read took all there was
  bool is_elsewhere_ = false;                       // a worker has the exchange
  bool must_try_again_ = false;                     // the pool had no room for what has begun
};

}  // namespace weft::serve
