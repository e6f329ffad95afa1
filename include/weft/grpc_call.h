// SPDX-License-Identifier: Apache-2.0
// Call: one call of gRPC's, from when it is waited for to when nothing of it is left.
//
// States
//   idle      --arm()-->                            armed: gRPC has the request tag
//   armed     --it comes, with nothing-->           idle: the server shuts down
//   armed     --it comes, with a call-->            running, and the done tag is gRPC's
//   armed     --the same, and an admission-->       waiting, with a ticket; or refused
//   waiting   --all that has come was seen to-->    running
//   waiting   --the client goes, or the server-->   refused, without a handler
//   idle      --arrive(), on weft's transport-->    as armed, with a call
//   running   --the handler returns or throws-->    finishing: the finish tag is gRPC's
//   refused   --at once, without a coroutine-->     finishing
//   finishing --all tags have come-->               over, and idle
//
// Invariants
//   - All of a call happens on its queue's thread. Its tags are gRPC's, or those of its wire
//     (<weft/grpc_wire.h>), which come in the same way.
//   - The done tag comes once for each call that has begun, before or after the finish tag, and
//     never for one that has not: gRPC says so only in a remark (its issue 10136).
//   - A call ends when gRPC has none of its tags: what they refer to is in the call, never in the
//     coroutine, which may be gone by then.
//   - What the client sees is decided once: by what the handler returned or threw.
//
// The token of a call is cancelled when the client's deadline passes, which gRPC watches; when it
// has taken as long as the server lets it, which the worker does; when the client has gone; and
// when the server does not wait for it any longer. What the handler awaits is cancelled then. A
// client whose deadline has passed says no more than that it goes: that is told by the time at
// which it does (src/grpc/decisions.h).
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/status.h>

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <weft/cancel.h>
#include <weft/grpc_queue.h>
#include <weft/grpc_wire.h>

namespace weft::grpc {

class Call;
class CallSource;
class CallTicket;
class Driver;
class Method;
class Worker;

using Answer = boost::asio::awaitable<::grpc::Status>;

// An operation of gRPC that a coroutine of the call waits for. When the coroutine is cancelled it
// goes on at once, and the operation is left to end by itself.
class Step final : public Tag {
 public:
  explicit Step(Call& call) noexcept : call_(call) {}

  // Throws Cancelled where the call is, std::logic_error where another is under way.
  void* begin();
  boost::asio::awaitable<bool> wait();
  void complete(bool is_ok) override;

  struct Waiter {
    virtual void resume(bool is_aborted, bool is_ok) = 0;

   protected:
    ~Waiter() = default;
  };

 private:
  Call& call_;
  Waiter* waiter_ = nullptr;
  bool is_under_way_ = false;
};

class Call {
 public:
  virtual ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // "/package.Service/Method".
  std::string_view method() const noexcept;
  // What the client has sent besides its messages, and who it is. Not to be kept longer than the
  // call.
  const Metadata& metadata() { return carrier_->metadata(); }
  std::string peer() const { return carrier_->peer(); }
  // Names in lower case; values of those that end in -bin are bytes. Headers go with the first
  // message, or with the status, whichever is first.
  void add_header(const std::string& name, const std::string& value);
  void add_trailer(const std::string& name, const std::string& value);
  // The same, and compression, of gRPC's transport alone: throws std::logic_error with weft's.
  ::grpc::ServerContext& context();
  // The same as weft::cancellation() in the handler.
  CancelToken token() const;
  // The same as weft::correlation() in the handler.
  const std::string& correlation() const;
  QueueContext& queue() noexcept;

 protected:
  Call(Worker& worker, Method& method) noexcept;

  virtual void request(::grpc::ServerContext& context, ::grpc::ServerCompletionQueue& queue,
                       void* tag) = 0;
  // On weft's transport. The message is that of methods that take one. False: it is none.
  virtual bool accept(Wire& wire, std::string_view message) = 0;
  // None: it is on gRPC's transport.
  Wire* wire() const noexcept { return wire_; }
  virtual Answer answer() = 0;
  virtual void finish(const ::grpc::Status& status, void* tag) = 0;
  virtual void clear() noexcept = 0;
  virtual bool is_unary() const noexcept { return false; }
  // Of the messages, where they are known: those of unary calls.
  virtual std::size_t request_bytes() const { return 0; }
  virtual std::size_t response_bytes() const { return 0; }

 private:
  friend class Driver;
  friend class H2Stream;
  friend class Step;
  friend class Worker;
  template <class Request>
  friend class Reader;
  template <class Response>
  friend class Writer;
  template <void (Call::*member)(bool)>
  class Moment final : public Tag {
   public:
    explicit Moment(Call& call) noexcept : call_(call) {}
    void complete(bool is_ok) override { (call_.*member)(is_ok); }

   private:
    Call& call_;
  };

  // What gRPC's transport says around the messages.
  class ContextCarrier final : public Carrier {
   public:
    const Metadata& metadata() override { return context.client_metadata(); }
    std::string_view find(std::string_view name) const override;
    std::string peer() const override { return context.peer(); }
    void add_header(const std::string& name, const std::string& value) override {
      context.AddInitialMetadata(name, value);
    }
    void add_trailer(const std::string& name, const std::string& value) override {
      context.AddTrailingMetadata(name, value);
    }
    Instant deadline(Instant now) const override;
    std::chrono::nanoseconds lateness() const noexcept override { return {}; }
    bool is_cancelled() const override { return context.IsCancelled(); }
    bool is_cut_off() override;

    ::grpc::ServerContext context;
  };

  void arm();
  void on_requested(bool is_ok);
  // Of weft's transport: there it is, with its message where it has one.
  void arrive(Wire& wire, std::string_view message);
  void begin_or_wait(bool is_readable);
  void on_done(bool);
  void on_finished(bool is_ok);
  bool is_refused();
  void refuse(const char* reason, std::chrono::milliseconds retry_after);
  void add_refusal(const char* reason, std::chrono::milliseconds retry_after);
  void begin();
  // Of a call with a ticket, when it has waited.
  void begin_in_turn();
  void end_ticket();
  void ended(std::exception_ptr thrown, const ::grpc::Status& status) noexcept;
  // Of weft's transport: its stream is closed.
  void is_done_with_its_wire();
  bool was_cancelled() const noexcept;
  void send(const ::grpc::Status& status);
  void cancel(CancelReason reason);
  void come_back();
  // Throws Cancelled where the call is.
  void check() const;
  // Throws Cancelled, for an operation that gRPC says has failed.
  [[noreturn]] void give_up();
  // gRPC ends a stream that the client has left as it does one that the client has ended, and has
  // to be asked which it was. Throws Cancelled where it was the former.
  void check_end();
  CancelReason reason_of_end() const noexcept;

  class Turn final : public queue::Posted {
   public:
    explicit Turn(Call& call) noexcept;

   private:
    static void act_on(Posted* self, bool runs);
    Call& call_;
  };

  Worker& worker_;
  Method& method_;
  std::optional<ContextCarrier> context_;  // of gRPC's transport
  Wire* wire_ = nullptr;                   // of weft's
  Carrier* carrier_ = nullptr;             // whichever it is; none: idle
  Moment<&Call::on_requested> requested_{*this};
  Moment<&Call::on_done> done_{*this};
  Moment<&Call::on_finished> finished_{*this};
  Turn turn_{*this};
  int tags_ = 0;               // gRPC's or the wire's, besides the request tag
  bool is_running_ = false;    // or waiting
  bool was_answered_ = false;  // gRPC took the answer
  ::grpc::StatusCode code_ = ::grpc::StatusCode::UNKNOWN;
  std::chrono::steady_clock::time_point begun_;
  std::chrono::steady_clock::time_point ended_;
  CancelToken::Instant client_deadline_ = CancelToken::Instant::max();
  CancelToken::Instant deadline_ = CancelToken::Instant::max();  // the earlier of it and our own
  std::shared_ptr<CallSource> source_;                           // none: armed, or refused
  std::shared_ptr<const CallTicket> ticket_;  // none: nobody asked for it, or the handler is over
  std::shared_ptr<Driver> driver_;            // of this call and the next; none: not needed so far
  bool has_longest_ = false;                  // the worker cancels it, should it take that long
  std::size_t line_ = 0;                      // the worker's place for the calls of this method
  Call* newer_ = nullptr;                     // of the worker's list of calls that have begun
  Call* older_ = nullptr;
};

// What the client sends, one message after another.
template <class Request>
class Reader {
 public:
  Reader(Call& call, ::grpc::internal::AsyncReaderInterface<Request>& stream) noexcept
      : call_(call), stream_(stream) {}

  // None: the client has sent all. Throws Cancelled.
  boost::asio::awaitable<std::optional<Request>> read() {
    void* const tag = step_.begin();
    stream_.Read(&message_, tag);
    if (!co_await step_.wait()) {
      call_.check_end();
      co_return std::nullopt;
    }
    std::optional<Request> message(std::move(message_));
    message_ = Request();
    co_return message;
  }

 private:
  Call& call_;
  ::grpc::internal::AsyncReaderInterface<Request>& stream_;
  Step step_{call_};
  Request message_;
};

// What is sent to the client. One message is under way at a time: write() returns when gRPC would
// take the next, so who writes is no faster than who reads.
template <class Response>
class Writer {
 public:
  Writer(Call& call, ::grpc::internal::AsyncWriterInterface<Response>& stream) noexcept
      : call_(call), stream_(stream) {}

  // Throws Cancelled, also where the client is no longer there.
  boost::asio::awaitable<void> write(const Response& message) {
    void* const tag = step_.begin();
    stream_.Write(message, tag);
    if (!co_await step_.wait()) call_.give_up();
  }

 private:
  Call& call_;
  ::grpc::internal::AsyncWriterInterface<Response>& stream_;
  Step step_{call_};
};

}  // namespace weft::grpc
