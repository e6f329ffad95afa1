// SPDX-License-Identifier: Apache-2.0
// What workers do with a connection, and how it goes back.
#include "serve/connection.h"

#include <cerrno>
#include <exception>
#include <utility>

#include "serve/answering.h"
#include "serve/reactor.h"

namespace weft::serve {

Connection::Connection(Reactor& reactor, net::Stream stream, net::Peer peer, http::TimePoint now)
    : stream(std::move(stream)),
      exchange(reactor.limits(), now, &reactor.site(), &reactor.memory(), &reactor.counters()),
      peer(std::move(peer)),
      reactor_(reactor) {
  exchange.log_to(reactor.log(), this->peer.host, this->stream.is_encrypted());
}

void Connection::run(const JobTimes&) {
  if (!exchange.is_streaming()) {
    const Admission admission = ticket.begin();
    answer([&](Response& response) {
      admission.admitted() ? let_site_answer(response) : reactor_.refuse(response, admission);
    });
    ticket = {};
  }
  go_on();
  give_back();
}

void Connection::let_site_answer(Response& response) {
  handler.run([&] { reactor_.site().answer(request(), response); });
  if (reactor_.is_draining()) exchange.close_soon();  // it may have begun meanwhile
}

void Connection::shed(ShedReason) noexcept {
  // What has begun is not refused any more.
  if (!exchange.is_streaming()) {
    ticket = {};
    answer([this](Response& response) { reactor_.refuse_for_load(response); });
  }
  go_on();
  give_back();
}

// Whatever happens, the connection goes back.
template <class Fill>
void Connection::answer(Fill fill) noexcept {
  try {
    respond_with(exchange, reactor_.counters(), reactor_.is_draining(), fill);
  } catch (...) {
    exchange.give_up();  // there is not even memory for an error
  }
}

// As long as nothing has to be waited for.
void Connection::go_on() noexcept {
  try {
    for (int pieces = most_pieces; pieces != 0 && exchange.is_streaming();) {
      const Step step = exchange.advance(thread_moment());
      if (step == Step::work) {
        go_on_with(exchange, reactor_.counters(), reactor_.is_draining());
        --pieces;
      }
      if (flush() != 0 || step == Step::close || (step == Step::read && !read())) return;
    }
  } catch (...) {
    exchange.give_up();
  }
}

// What it is if there is nothing the reactor will find out.
bool Connection::read() {
  const long bytes = stream.read(exchange.room());
  if (bytes > 0) exchange.commit(static_cast<std::size_t>(bytes));
  return bytes > 0;
}

void Connection::give_back() noexcept {
  // What is left to do is the reactor's: to wait for a slow reader, to read on, to close.
  const bool is_done = flush() == 0 && exchange.wants_only_to_wait() && !is_readable;
  if (is_done && owner.give_back()) return;  // it may be gone by now
  reactor_.post(*this);
}

}  // namespace weft::serve
