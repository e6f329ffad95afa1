// SPDX-License-Identifier: Apache-2.0
// The life of a call, from tag to tag.
#include <grpc/grpc.h>
#include <weft/coroutines.h>
#include <weft/grpc_call.h>
#include <weft/trace.h>

#include <algorithm>
#include <stdexcept>

#include "grpc/call_source.h"
#include "grpc/call_ticket.h"
#include "grpc/decisions.h"
#include "grpc/driver.h"
#include "grpc/worker.h"
#include "wire/texts.h"

namespace weft::grpc {
namespace {

using Clock = std::chrono::steady_clock;

// Of who found no room in a pool.
constexpr std::chrono::milliseconds retry_for_room(1000);

}  // namespace

Call::Call(Worker& worker, Method& method) noexcept : worker_(worker), method_(method) {}
Call::~Call() {
  if (driver_ != nullptr) driver_->stop();
}

std::string_view Call::method() const noexcept {
  return method_.name();
}
QueueContext& Call::queue() noexcept {
  return worker_.queue();
}
CancelToken Call::token() const {
  return source_->token();
}
const std::string& Call::correlation() const {
  return source_->correlation();
}

::grpc::ServerContext& Call::context() {
  if (context_) return context_->context;
  throw std::logic_error(
      "weft::grpc: weft's own transport has no ServerContext: use Call::metadata(), peer(), "
      "add_header() and add_trailer(), which work with both");
}
void Call::add_header(const std::string& name, const std::string& value) {
  carrier_->add_header(name, value);
}
void Call::add_trailer(const std::string& name, const std::string& value) {
  carrier_->add_trailer(name, value);
}

std::string_view Call::ContextCarrier::find(std::string_view name) const {
  const Metadata& metadata = context.client_metadata();
  const auto found = metadata.find(::grpc::string_ref(name.data(), name.size()));
  if (found == metadata.end()) return {};
  return {found->second.data(), found->second.size()};
}
CancelToken::Instant Call::ContextCarrier::deadline(Instant now) const {
  const auto deadline = context.deadline();
  if (deadline == std::chrono::system_clock::time_point::max()) return Instant::max();
  return steady_deadline(deadline, std::chrono::system_clock::now(), now);
}
bool Call::ContextCarrier::is_cut_off() {
  return ::grpc_call_failed_before_recv_message(context.c_call()) != 0;
}

void Call::arm() {
  context_.emplace();
  carrier_ = &*context_;
  ::grpc::ServerContext& context = context_->context;
  context.AsyncNotifyWhenDone(static_cast<Tag*>(&done_));  // counted when it is known to come
  request(context, *worker_.completions_, worker_.queue_.begin(requested_));
}

void Call::on_requested(bool is_ok) {
  if (!is_ok) return worker_.will_not_begin(*this);
  worker_.is_taken(*this);
  begin_or_wait(true);
}

void Call::arrive(Wire& wire, std::string_view message) {
  wire_ = &wire;
  carrier_ = &wire;
  begin_or_wait(accept(wire, message));
}

void Call::begin_or_wait(bool is_readable) {
  worker_.queue_.begin(done_);
  tags_ = 1;
  begun_ = Clock::now();
  client_deadline_ = carrier_->deadline(begun_);
  const std::chrono::milliseconds longest = worker_.site_.options.longest_call;
  has_longest_ = is_unary() && longest.count() != 0;
  deadline_ = has_longest_ ? std::min(client_deadline_, begun_ + longest) : client_deadline_;
  worker_.begins(*this);
  if (!is_readable) {
    ended_ = begun_;
    return send({::grpc::StatusCode::INTERNAL, "the message is not of the method's type"});
  }
  if (is_refused()) return;
  // On weft's transport that may be known already, and on gRPC's it may not be asked yet.
  if (wire_ != nullptr && wire_->is_cancelled()) {
    end_ticket();
    ended_ = begun_;
    return send(status_of(reason_of_end()));
  }
  is_running_ = true;
  source_ = std::make_shared<CallSource>(deadline_);
  // What has come is taken first: so many wait, and some may have to be refused.
  ticket_ == nullptr ? begin() : worker_.queue_.post_later(&turn_);
}

bool Call::is_refused() {
  const ServerOptions& options = worker_.site_.options;
  const MethodOptions& own = method_.options();
  if (options.refuse) {
    const auto refusal = options.refuse({method_.name(), own.priority, carrier_->metadata()});
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
  carrier_->add_trailer("grpc-retry-pushback-ms", std::to_string(retry_after.count()));
  // One of a function of the user's may be anything, and the answer must not fail for it.
  carrier_->add_trailer("weft-reason", wire::is_value_of_metadata(reason) ? reason : "other");
}

Call::Turn::Turn(Call& call) noexcept : Posted(&act_on), call_(call) {}

void Call::Turn::act_on(Posted* self, bool) {
  static_cast<Turn*>(self)->call_.begin_in_turn();
}

void Call::begin_in_turn() {
  if (Clock::now() >= deadline_) source_->cancel(CancelReason::deadline);
  if (const CancelReason reason = source_->reason(); reason != CancelReason::none) {
    is_running_ = false;
    end_ticket();
    ended_ = Clock::now();
    source_.reset();  // it was never asked for a name, and has none
    return send(status_of(reason));
  }
  if (const Admission admission = ticket_->look(); !admission.admitted()) {
    is_running_ = false;
    end_ticket();
    source_.reset();
    return refuse(to_string(admission.refusal), admission.retry_after);
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
  context::Reference own;
  try {
    const std::string_view received = carrier_->find("x-request-id");
    source_->receive(carrier_->find("traceparent"), carrier_->find("tracestate"), received);
    if (is_correlation_id(received)) carrier_->add_header("x-request-id", std::string(received));
    own = context::visible_with(CallSource::key, source_);
    if (driver_ == nullptr) driver_ = Driver::start(worker_.queue_);
  } catch (const std::bad_alloc&) {  // the handler has not begun
    return ended(std::current_exception(), {});
  }
  driver_->run(*this, std::move(own));
}

void Call::ended(std::exception_ptr thrown, const ::grpc::Status& status) noexcept {
  is_running_ = false;
  Admission refusal;
  if (ticket_ != nullptr) {
    ticket_->handler_waits();  // it may never have, and was under way
    refusal = ticket_->refusal();
  }
  end_ticket();
  ended_ = Clock::now();
  worker_.counters_.durations.record(ended_ - begun_);
  if (thrown == nullptr) return send(status);
  // A token that nobody has asked for is not made for this: there may be no memory.
  const bool was_cancelled = source_->reason() != CancelReason::none;
  const std::exception_ptr explained =
      was_cancelled ? coroutine::explained(std::move(thrown), source_->token()) : thrown;
  const Outcome outcome = outcome_of(explained);
  if (outcome.is_unexpected) {
    add(worker_.counters_.thrown, 1);
    if (worker_.site_.options.on_exception) {
      worker_.site_.options.on_exception(method_.name(), explained);
    }
  }
  // It has begun, but there was no room in a pool, or its turn there came too late.
  if (outcome.status.error_code() == ::grpc::StatusCode::RESOURCE_EXHAUSTED) {
    refusal.admitted() ? add_refusal("no-room", retry_for_room)
                       : add_refusal(to_string(refusal.refusal), refusal.retry_after);
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
  if (wire_ != nullptr) code_ = wire_->sent_code();
  --tags_;
  come_back();
}

void Call::on_done(bool) {
  --tags_;
  if (is_running_ && carrier_->is_cancelled()) cancel(reason_of_end());
  come_back();
}

void Call::is_done_with_its_wire() {
  worker_.queue_.end(done_, true);
}

bool Call::was_cancelled() const noexcept {
  return source_ != nullptr && source_->reason() != CancelReason::none;
}

CancelReason Call::reason_of_end() const noexcept {
  const bool is_shut_down = worker_.site_.is_shut_down.load(std::memory_order_relaxed);
  if (client_deadline_ == CancelToken::Instant::max()) {
    return grpc::reason_of_end(begun_, client_deadline_, Clock::now(), is_shut_down);
  }
  const std::chrono::nanoseconds late = carrier_->lateness();
  return grpc::reason_of_end(begun_ - late, client_deadline_ - late, Clock::now(), is_shut_down);
}

void Call::cancel(CancelReason reason) {
  if (!is_running_) return;
  source_->cancel(reason);  // the first reason stays
  if (driver_ != nullptr) driver_->cancel();
}

void Call::check() const {
  if (const CancelReason reason = source_->reason(); reason != CancelReason::none) {
    throw Cancelled(reason);
  }
}

void Call::give_up() {
  source_->cancel(reason_of_end());
  throw Cancelled(source_->reason());
}

void Call::check_end() {
  if (carrier_->is_cut_off()) give_up();
}

// All is over: what it held goes, and the call may be used again.
void Call::come_back() {
  if (tags_ != 0 || is_running_) return;
  const auto code = static_cast<std::size_t>(code_);
  add(worker_.counters_.finished[line_][code < WorkerCounters::codes ? code : 2], 1);
  if (const auto& tell = worker_.site_.options.on_finished) {
    tell({method_.name(), code_, was_answered_, ended_ - begun_, request_bytes(), response_bytes(),
          source_ == nullptr ? std::string_view() : std::string_view(source_->correlation()),
          carrier_->peer()});
  }
  if (driver_ != nullptr && !driver_->rests()) std::exchange(driver_, nullptr)->stop();
  source_.reset();
  clear();
  context_.reset();
  carrier_ = nullptr;
  if (Wire* const wire = std::exchange(wire_, nullptr)) wire->release();
  was_answered_ = false;
  worker_.is_over(*this);
}

}  // namespace weft::grpc
