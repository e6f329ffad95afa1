// SPDX-License-Identifier: Apache-2.0
// Method by method.
#include "links/grpc_oracle.h"

#include <weft/grpc_server.h>
#include <weft/trace.h>

#include <algorithm>
#include <thread>

#include "property.h"

namespace weft::fuzz {
namespace {

namespace v1 = weft::links::v1;
using ::grpc::StatusCode;

::links::Instant instant_of(const google::protobuf::Timestamp& time) {
  return ::links::Instant(std::chrono::seconds(time.seconds()) +
                          std::chrono::milliseconds(time.nanos() / 1'000'000));
}

::links::Link link_in(const std::string& bytes) {
  v1::Link message;
  require(message.ParseFromString(bytes), "an answer is a message");
  ::links::Link link{message.key(), message.url(), instant_of(message.created()), std::nullopt,
                     message.visits()};
  if (message.has_expires()) link.expires = instant_of(message.expires());
  return link;
}

// None: it has parts of a second.
std::optional<::links::NewLink> wanted_of(const v1::CreateRequest& request) {
  ::links::NewLink wanted;
  wanted.url = request.url();
  if (request.has_key()) wanted.key = request.key();
  if (request.has_idempotency_key()) wanted.idempotency_key = request.idempotency_key();
  if (request.has_expires_in()) {
    if (request.expires_in().nanos() != 0) return std::nullopt;
    wanted.expires_in_s = request.expires_in().seconds();
  }
  return wanted;
}

void require_code(const CallReply& reply, StatusCode code) {
  require(reply.status.error_code() == code, "the code is that of the problem");
}

const std::string& only(const CallReply& reply) {
  require_code(reply, StatusCode::OK);
  require(reply.messages.size() == 1, "one call, one answer");
  return reply.messages[0];
}

}  // namespace

bool GrpcOracle::is_answered_before(const CallText& call, const CallReply& reply) {
  const StatusCode code = reply.status.error_code();
  if (call.method.ends_with('x')) {
    if (code == StatusCode::DEADLINE_EXCEEDED) {
      require(call.time.has_value(), "only who has said so is late");
    } else {
      require_code(reply, StatusCode::UNIMPLEMENTED);
    }
    return true;
  }
  if (code == StatusCode::RESOURCE_EXHAUSTED) {
    require(reply.trailing.contains("weft-reason"), "who is refused hears why");
    return true;
  }
  return false;
}

template <class Message>
void GrpcOracle::check_message(const CallText& call, const CallReply& reply) {
  const bool is_late = reply.status.error_code() == StatusCode::DEADLINE_EXCEEDED;
  require(!is_late || call.time.has_value(), "only who has said so is late");
  if (is_late) settle();
  Message request;
  if (call.messages.empty() || !request.ParseFromString(call.messages[0])) {
    if (is_late) return;
    // gRPC's own: no handler hears of it.
    require_code(reply, StatusCode::INTERNAL);
    require(reply.status.error_message() == "Unable to parse request", "which says so");
    return;
  }
  if (!is_late) return check_done(request, reply);
  require(reconcile(request), "who is late is served, or not");
}

void GrpcOracle::settle() {
  client_.call({"/weft.links.v1.Links/Get", {""}, {}, std::nullopt});
  while (house_.grpc().counters().in_flight != 0) std::this_thread::yield();
}

bool GrpcOracle::reconcile(const v1::CreateRequest& request) {
  const auto wanted = wanted_of(request);
  return model_.reconcile(house_.stored(), wanted ? &*wanted : nullptr, "", "");
}
bool GrpcOracle::reconcile(const v1::GetRequest&) {
  return model_.reconcile(house_.stored(), nullptr, "", "");
}
bool GrpcOracle::reconcile(const v1::DeleteRequest& request) {
  return model_.reconcile(house_.stored(), nullptr, "", request.key());
}
bool GrpcOracle::reconcile(const v1::ResolveRequest& request) {
  return model_.reconcile(house_.stored(), nullptr, request.key(), "");
}
bool GrpcOracle::reconcile(const v1::ListRequest&) {
  return model_.reconcile(house_.stored(), nullptr, "", "");
}

void GrpcOracle::check_done(const v1::CreateRequest& request, const CallReply& reply) {
  const auto wanted = wanted_of(request);
  const Judgement judgement = wanted ? judge(*wanted) : Judgement::must_refuse;
  if (judgement == Judgement::must_refuse) return require_code(reply, StatusCode::INVALID_ARGUMENT);
  const auto creation = model_.creation(*wanted);
  if (reply.status.error_code() == StatusCode::INVALID_ARGUMENT) {
    return require(judgement == Judgement::may_take || creation == Model::Creation::reused,
                   "what is allowed is taken");
  }
  if (creation == Model::Creation::reused) return require_code(reply, StatusCode::INVALID_ARGUMENT);
  if (creation == Model::Creation::taken) return require_code(reply, StatusCode::ALREADY_EXISTS);
  const ::links::Link link = link_in(only(reply));
  if (creation == Model::Creation::again) {
    return require(is_same(link, model_.earlier(*wanted)), "the same again is the same link");
  }
  require_made(model_, *wanted, link);
  model_.add(*wanted, link);
}

void GrpcOracle::check_done(const v1::GetRequest& request, const CallReply& reply) {
  const Kept* const kept = model_.find(request.key());
  if (kept == nullptr) return require_code(reply, StatusCode::NOT_FOUND);
  require(is_same(link_in(only(reply)), kept->link), "a link is as it is");
}

void GrpcOracle::check_done(const v1::DeleteRequest& request, const CallReply& reply) {
  if (model_.find(request.key()) == nullptr) return require_code(reply, StatusCode::NOT_FOUND);
  require(only(reply).empty(), "what is there can be deleted");
  model_.remove(request.key());
}

void GrpcOracle::check_done(const v1::ResolveRequest& request, const CallReply& reply) {
  const Kept* const kept = model_.find(request.key());
  if (kept == nullptr) return require_code(reply, StatusCode::NOT_FOUND);
  if (reply.status.error_code() == StatusCode::FAILED_PRECONDITION) {
    return require(kept->link.expires && *kept->link.expires <= ::links::Links::clock(),
                   "it has expired");
  }
  model_.visit(request.key());
  require(is_same(link_in(only(reply)), kept->link), "a visitor is sent on, and counted");
}

void GrpcOracle::check_done(const v1::ListRequest& request, const CallReply& reply) {
  const auto may_begin_key = [](const std::string& text) { return text.empty() || is_key(text); };
  if (!may_begin_key(request.prefix()) || !may_begin_key(request.after()) || request.limit() < 0) {
    return require_code(reply, StatusCode::INVALID_ARGUMENT);
  }
  require_code(reply, StatusCode::OK);
  const auto expected = model_.page(
      {request.prefix(), request.after(), request.limit() == 0 ? INT64_MAX : request.limit()});
  require(reply.messages.size() == expected.size(), "all links come");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    require(is_same(link_in(reply.messages[i]), expected[i]), "as they are, in their order");
  }
}

void GrpcOracle::check(const CallText& call, const CallReply& reply) {
  const std::string& text = reply.status.error_message();
  require(std::ranges::none_of(text, [](char c) { return c < ' ' || c == '\x7f'; }),
          "a text for the client is visible ASCII");
  const auto [first, last] = reply.initial.equal_range("x-request-id");
  for (auto id = first; id != last; ++id) {
    require(is_correlation_id(id->second), "only what is a name comes back");
  }
  if (!is_answered_before(call, reply)) {
    if (call.method.ends_with("/Create")) check_message<v1::CreateRequest>(call, reply);
    if (call.method.ends_with("/Get")) check_message<v1::GetRequest>(call, reply);
    if (call.method.ends_with("/Delete")) check_message<v1::DeleteRequest>(call, reply);
    if (call.method.ends_with("/Resolve")) check_message<v1::ResolveRequest>(call, reply);
    if (call.method.ends_with("/List")) check_message<v1::ListRequest>(call, reply);
  }
  require(house_.stored() == model_.all(), "nothing is stored but what was acknowledged");
  house_.check_lines();
}

}  // namespace weft::fuzz
