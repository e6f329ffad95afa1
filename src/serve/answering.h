// SPDX-License-Identifier: Apache-2.0
// How every driver answers: what a handler throws is a 500, or the end of what it has begun.
#pragma once

#include <weft/admission.h>
#include <weft/cancel.h>

#include <chrono>
#include <exception>
#include <stdexcept>

#include "serve/clock.h"
#include "serve/counters.h"
#include "serve/exchange.h"

namespace weft::serve {

// Pieces of a streamed body in a row, before other requests have the worker.
inline constexpr int most_pieces = 32;
// Between asking a pool that has no room for what has begun.
inline constexpr auto time_between_submits = std::chrono::milliseconds{10};

inline void respond(Exchange& exchange, Counters& counters, bool is_last, const Response& response,
                    const Moment& moment) {
  if (is_last) exchange.close_soon();
  if (response.sink() == nullptr) counters.count(response.status());  // or nothing is said yet
  exchange.respond(response, moment);
}

// Whose request has failed is told which it was, too.
inline void keep_request_id(const Response& unsaid, Response& failure) {
  unsaid.for_each_field([&](std::string_view name, std::string_view value) {
    if (name == "X-Request-Id") failure.add_field(name, value);
  });
}

// fill(response) says what; what it throws is counted. Throws where there is no memory: then the
// exchange can only be given up.
template <class Fill>
void respond_with(Exchange& exchange, Counters& counters, bool is_last, Fill fill) {
  Response response;
  Response failure;
  const Response* said = &response;
  exchange.handler_starts();
  try {
    fill(response);
  } catch (const Cancelled& cancelled) {
    const bool is_late = cancelled.reason() == CancelReason::deadline;
    set_error(failure, is_late ? 504 : 503, cancelled.what());
    said = &failure;
  } catch (...) {
    counters.failed.add();
    set_error(failure, 500, "the handler failed");
    said = &failure;
  }
  if (said == &failure) keep_request_id(response, failure);
  const Moment moment = thread_moment();
  if (said->sink() == nullptr && Counters::is_timed(said->status())) {
    counters.took.record(moment.now - exchange.asked());
  }
  respond(exchange, counters, is_last, *said, moment);
}

// Tells those for whom there is no room to come again, and why, and counts them. Who is refused by
// the pool, and not by an admission before it, would have waited for too long.
inline void refuse_for_load(Response& response, Counters& counters,
                            std::chrono::seconds retry_after, Refusal why = Refusal::queue_delay) {
  counters.overloaded.add();
  set_overloaded(response, "too many requests wait; try again soon", retry_after);
  response.add_field("Weft-Reason", to_string(why));
}

// Where advance() said work. Throws as respond_with().
inline void go_on_with(Exchange& exchange, Counters& counters, bool is_last) {
  std::exception_ptr thrown;
  try {
    if (exchange.is_sending()) {
      if (!exchange.produce()) exchange.end_body(thread_moment());
      return;
    }
    if (exchange.feed()) return exchange.resume(thread_moment());
  } catch (...) {
    thrown = std::current_exception();
  }
  if (exchange.is_sending()) {
    counters.failed.add();
    return exchange.give_up();  // what has gone out can not be taken back
  }
  respond_with(exchange, counters, is_last, [&](Response& response) {
    if (thrown != nullptr) std::rethrow_exception(thrown);
    exchange.sink().answer(response);
    if (response.sink() != nullptr) throw std::logic_error("a body is read once");
  });
}

}  // namespace weft::serve
