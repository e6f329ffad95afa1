// SPDX-License-Identifier: Apache-2.0
// What workers do with a connection, and how it goes back.
#include "serve/connection.h"

#include <cerrno>
#include <exception>
#include <utility>

#include "serve/clock.h"
#include "serve/reactor.h"

namespace weft::serve {

Connection::Connection(Reactor& reactor, net::Stream stream, std::string peer, http::TimePoint now)
    : stream(std::move(stream)),
      exchange(reactor.limits(), now),
      peer(std::move(peer)),
      reactor_(reactor) {}

bool Connection::take_news() noexcept {
  Owner owner = owner_.load(std::memory_order_acquire);
  while (owner != Owner::reactor) {
    // Pairs with give_back(): either it sees the news, or we see that it has given it back.
    if (owner_.compare_exchange_weak(owner, Owner::worker_with_news, std::memory_order_acq_rel)) {
      return false;
    }
  }
  return true;
}

void Connection::run(const JobTimes&) {
  Response response;
  try {
    reactor_.site().answer(request(), response);
  } catch (...) {
    reactor_.counters().failed.add();
    Response failure;
    set_error(failure, 500, "the handler failed");
    return answer(failure);
  }
  answer(response);
}

void Connection::shed(ShedReason) noexcept {
  Response response;
  reactor_.refuse_for_load(response);
  answer(response);
}

void Connection::answer(const Response& response) noexcept {
  if (reactor_.is_draining()) exchange.close_soon();
  reactor_.counters().count(response.status());
  exchange.respond(response, thread_moment());
  give_back();
}

void Connection::give_back() noexcept {
  // What is left to do is the reactor's: to wait for a slow reader, to read on, to close.
  const bool is_done =
      flush() == 0 && exchange.wants_only_to_wait() && !is_readable && !stream.has_pending();
  Owner owner = Owner::worker;
  if (is_done && owner_.compare_exchange_strong(owner, Owner::reactor, std::memory_order_acq_rel)) {
    return;  // it may be gone by now
  }
  reactor_.post(*this);
}

}  // namespace weft::serve
