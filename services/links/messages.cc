// SPDX-License-Identifier: Apache-2.0
// Field by field.
#include "messages.h"

#include "failure.h"

namespace links {
namespace {

void write(Instant time, google::protobuf::Timestamp& message) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  message.set_seconds(seconds.time_since_epoch().count());
  message.set_nanos(static_cast<std::int32_t>(std::chrono::nanoseconds(time - seconds).count()));
}

}  // namespace

NewLink read(const weft::links::v1::CreateRequest& request) {
  NewLink wanted;
  wanted.url = request.url();
  if (request.has_key()) wanted.key = request.key();
  if (request.has_idempotency_key()) wanted.idempotency_key = request.idempotency_key();
  if (request.has_expires_in()) {
    if (request.expires_in().nanos() != 0) {
      throw Failure(Problem::invalid, "expires_in: it is not a whole number of seconds");
    }
    wanted.expires_in_s = request.expires_in().seconds();
  }
  return wanted;
}

void write(const Link& link, weft::links::v1::Link& message) {
  message.set_key(link.key);
  message.set_url(link.url);
  write(link.created, *message.mutable_created());
  if (link.expires) write(*link.expires, *message.mutable_expires());
  message.set_visits(link.visits);
}

}  // namespace links
