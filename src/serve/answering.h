// SPDX-License-Identifier: Apache-2.0
// How every driver answers: what a handler throws is a 500.
#pragma once

#include "serve/clock.h"
#include "serve/counters.h"
#include "serve/exchange.h"

namespace weft::serve {

// fill(response) says what; what it throws is counted. Throws where there is no memory: then the
// exchange can only be given up.
template <class Fill>
void respond_with(Exchange& exchange, Counters& counters, bool is_last, Fill fill) {
  Response response;
  Response failure;
  const Response* said = &response;
  try {
    fill(response);
  } catch (...) {
    counters.failed.add();
    set_error(failure, 500, "the handler failed");
    said = &failure;
  }
  if (is_last) exchange.close_soon();
  const Moment moment = thread_moment();
  counters.count(said->status());
  if (Counters::is_timed(said->status())) counters.took.record(moment.now - exchange.asked());
  exchange.respond(*said, moment);
}

}  // namespace weft::serve
