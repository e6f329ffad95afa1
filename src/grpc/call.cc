// SPDX-License-Identifier: Apache-2.0
// The life of a call, from tag to tag.
#include <grpc/grpc.h>
#include <weft/coroutines.h>
#include <weft/grpc_call.h>
#include <weft/trace.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>

#include "grpc/call_ticket.h"
#include "grpc/decisions.h"
#include "grpc/worker.h"

namespace weft::grpc {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

// Of who found no room in a pool.
constexpr std::chrono::milliseconds retry_for_room(1000);

std::string_view find(const Metadata& metadata, const char* name) {
  const auto found = metadata.find(name);
  if (found == metadata.end()) return {};
  return {found->second.data(), found->second.size()};
}

}  // namespace

Call::Call(Worker& worker, Method& method) noexcept : worker_(worker), method_(method) {}
Call::~Call() = default;

std::string_view Call::method() const noexcept {
  return method_.name();
}
QueueContext& Call::queue() noexcept {
  return worker_.queue();
}

void Call::arm() {
  context_.emplace();
  context_->AsyncNotifyWhenDone(static_cast<Tag*>(&done_));  // counted when it is known to come
  request(*context_, worker_.completions_, worker_.queue_.begin(requested_));
}

void Call::on_requested(bool is_ok) {
  if (!is_ok) return worker_.will_not_begin(*this);
  worker_.queue_.begin(done_);
  tags_ = 1;
  begun_ = Clock::now();
  deadline_ = CancelToken::Instant::max();
  if (const auto deadline = context_->deadline();
      deadline != std::chrono::system_clock::time_point::max()) {
    deadline_ = steady_deadline(deadline, std::chrono::system_clock::now(), begun_);
  }
  worker_.begins(*this);
  if (is_refused()) return;
  is_running_ = true;
  source_.emplace(CancelSource::Watched(), deadline_);
  // What has come is taken first: so many wait, and some may have to be refused.
  ticket_ == nullptr ? begin() : worker_.queue_.post_later(&turn_);
}

bool Call::is_refused() {
  const ServerOptions& options = worker_.site_.options;
  const MethodOptions& own = method_.options();
  if (options.refuse) {
    const auto refusal =
        options.refuse({method_.name(), own.priority, context_->client_metadata()});
    if (refusal) refuse(refusal->reason, refusal->retry_after);
    if (refusal) return true;
  }
  if (options.admission == nullptr || !own.asks_admission) return false;
  auto [admission, ticket] = options.admission->admit(own.priority);
  if (!admission.admitted()) {
    refuse(to_string(admission.refusal), admission.retry_after);
    return true;
  }
  ticket_ = std::make_shared<const CallTicket>(*options.admission, std::move(ticket));
  return false;
}

void Call::refuse(const char* reason, std::chrono::milliseconds retry_after) {
  add_refusal(reason, retry_after);
  ended_ = begun_;
  send({::grpc::StatusCode::RESOURCE_EXHAUSTED, "the server takes no more"});
}

void Call::add_refusal(const char* reason, std::chrono::milliseconds retry_after) {
  {
    const std::scoped_lock guard(worker_.counters_.mutex);
    ++worker_.counters_.refused[reason];
  }
  context_->AddTrailingMetadata("grpc-retry-pushback-ms", std::to_string(retry_after.count()));
  context_->AddTrailingMetadata("weft-reason", reason);
}

Call::Turn::Turn(Call& call) noexcept : Posted(&act_on), call_(call) {}

void Call::Turn::act_on(Posted* self, bool) {
  static_cast<Turn*>(self)->call_.begin_in_turn();
}

void Call::begin_in_turn() {
  if (Clock::now() >= deadline_) source_->cancel(CancelReason::deadline);
  if (const CancelReason reason = source_->token().reason(); reason != CancelReason::none) {
    is_running_ = false;
    end_ticket();
    ended_ = Clock::now();
    return send(status_of(reason));
  }
  {
    const auto told = offload_watch.share(ticket_);
    begin();
  }
  // It has run until it waits for something.
  if (ticket_ != nullptr) ticket_->handler_waits();
}

void Call::end_ticket() {
  if (const auto ticket = std::exchange(ticket_, nullptr)) ticket->end();
}

void Call::begin() {
  const Metadata& metadata = context_->client_metadata();
  auto trace = std::make_shared<const Trace>(
      worker_.names_.continue_trace(find(metadata, "traceparent"), find(metadata, "tracestate")));
  const std::string_view received = find(metadata, "x-request-id");
  correlation_ = std::make_shared<const std::string>(correlation_of(received, *trace));
  if (*correlation_ == received) context_->AddInitialMetadata("x-request-id", *correlation_);

  // The call's strand begins with these, and keeps them; here they go.
  const auto cancelled_by = set_cancellation(source_->token());
  const auto traced_by = current_trace.share(std::move(trace));
  const auto known_as = current_correlation.share(correlation_);
  const asio::any_io_executor own = worker_.queue_.strand();
  try {
    asio::co_spawn(own, answer(),
                   asio::bind_cancellation_slot(
                       signal_.slot(), [this](std::exception_ptr thrown, ::grpc::Status status) {
                         ended(std::move(thrown), status);
                       }));
  } catch (...) {  // no coroutine was made: out of memory, or the handler is none itself
    ended(std::current_exception(), {});
  }
}

void Call::ended(std::exception_ptr thrown, const ::grpc::Status& status) {
  is_running_ = false;
  end_ticket();
  ended_ = Clock::now();
  worker_.counters_.durations.record(ended_ - begun_);
  if (thrown == nullptr) return send(status);
  const std::exception_ptr explained = coroutine::explained(std::move(thrown), source_->token());
  const Outcome outcome = outcome_of(explained);
  if (outcome.is_unexpected) {
    add(worker_.counters_.thrown, 1);
    if (worker_.site_.options.on_exception) {
      worker_.site_.options.on_exception(method_.name(), explained);
    }
  }
  // Not for want of a turn, but of room in a pool: it is refused all the same.
  if (outcome.status.error_code() == ::grpc::StatusCode::RESOURCE_EXHAUSTED) {
    add_refusal("no-room", retry_for_room);
  }
  send(outcome.status);
}

void Call::send(const ::grpc::Status& status) {
  code_ = status.error_code();
  ++tags_;
  finish(status, worker_.queue_.begin(finished_));
}

void Call::on_finished(bool is_ok) {
  was_answered_ = is_ok;
  --tags_;
  come_back();
}

void Call::on_done(bool) {
  --tags_;
  if (is_running_ && context_->IsCancelled()) cancel(reason_of_end());
  come_back();
}

CancelReason Call::reason_of_end() const noexcept {
  return grpc::reason_of_end(begun_, deadline_, Clock::now(),
                             worker_.site_.is_shut_down.load(std::memory_order_relaxed));
}

void Call::cancel(CancelReason reason) {
  if (!is_running_) return;
  source_->cancel(reason);  // the first reason stays
  signal_.emit(asio::cancellation_type::terminal);
}

void Call::give_up() {
  source_->cancel(reason_of_end());
  throw Cancelled(source_->token().reason());
}

void Call::check_end() {
  if (::grpc_call_failed_before_recv_message(context_->c_call()) != 0) give_up();
}

// All is over: what it held goes, and the call may be used again.
void Call::come_back() {
  if (tags_ != 0 || is_running_) return;
  const auto code = static_cast<std::size_t>(code_);
  add(worker_.counters_.finished[line_][code < WorkerCounters::codes ? code : 2], 1);
  if (const auto& tell = worker_.site_.options.on_finished) {
    tell({method_.name(), code_, was_answered_, ended_ - begun_, request_bytes(), response_bytes(),
          correlation_ == nullptr ? std::string_view() : std::string_view(*correlation_),
          context_->peer()});
  }
  signal_.slot().clear();
  source_.reset();
  correlation_.reset();
  clear();
  context_.reset();
  was_answered_ = false;
  worker_.is_over(*this);
}

}  // namespace weft::grpc
