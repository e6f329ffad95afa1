// SPDX-License-Identifier: Apache-2.0
// What workers do with a connection, and how it goes back.
#include "serve/connection.h"

#include <cerrno>
#include <exception>
#include <utility>

#include "serve/answering.h"
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
  answer([this](Response& response) { reactor_.site().answer(request(), response); });
}

void Connection::shed(ShedReason) noexcept {
  answer([this](Response& response) { reactor_.refuse_for_load(response); });
}

// Whatever happens, the connection goes back.
template <class Fill>
void Connection::answer(Fill fill) noexcept {
  try {
    respond_with(exchange, reactor_.counters(), reactor_.is_draining(), fill);
  } catch (...) {
    exchange.give_up();  // there is not even memory for an error
  }
  give_back();
}

void Connection::give_back() noexcept {
  // What is left to do is the reactor's: to wait for a slow reader, to read on, to close.
  const bool is_done = flush() == 0 && exchange.wants_only_to_wait() && !is_readable;
  Owner owner = Owner::worker;
  if (is_done && owner_.compare_exchange_strong(owner, Owner::reactor, std::memory_order_acq_rel)) {
    return;  // it may be gone by now
  }
  reactor_.post(*this);
}

}  // namespace weft::serve
