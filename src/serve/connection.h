// SPDX-License-Identifier: Apache-2.0
// Connection: a socket, what is said on it, and whose it is at the moment. See DESIGN.md.
#pragma once

#include <weft/admission_control.h>
#include <weft/pool.h>

#include <cstdint>

#include "net/address.h"
#include "net/deadlines.h"
#include "net/owner.h"
#include "net/stream.h"
#include "serve/handler_token.h"
#include "serve/output.h"

namespace weft::serve {

class Reactor;

class Connection final : public Job, public net::Deadline {
 public:
  Connection(Reactor& reactor, net::Stream stream, net::Peer peer, http::TimePoint now);

  // For whoever has it. Sends what there is: 0 all is out, -EAGAIN the peer must read first.
  long flush() noexcept { return send_output(stream, exchange); }
  Request request() const noexcept {
    return {exchange.head(), exchange.body(), peer.host, exchange.asked()};
  }

  // For the pool, on its threads.
  void run(const JobTimes& times) override;
  void shed(ShedReason reason) noexcept override;

  net::OwnerWord owner;
  HandlerToken handler;  // told by the reactor, while a worker or the queue has the connection
  Ticket ticket;         // of the request that a worker has; whoever has the connection
  net::Stream stream;
  Exchange exchange;
  const net::Peer peer;
  bool is_readable = true;        // the kernel may have more than was read
  bool may_have_ended = false;    // behind what can be read there may be the end
  bool is_lingering = false;      // all is said; what still comes is thrown away
  bool waits_for_worker = false;  // for one to be free, with what has begun
  bool is_in_again = false;       // of the reactor: it is served in the next round anyway
  bool is_closed = false;         // only an event of this round may still name it

  // The reactor's, of a peer that does not read: since when, and what it had read.
  bool is_blocked = false;
  http::TimePoint blocked_since, read_last;
  std::uint64_t sent_before_block = 0, sent_at_last_look = 0;

  // The reactor's: a list of all, and of those that were posted, or closed.
  Connection* next = nullptr;
  Connection* previous = nullptr;
  Connection* next_posted = nullptr;

 private:
  template <class Fill>
  void answer(Fill fill) noexcept;
  void let_site_answer(Response& response);
  void go_on() noexcept;
  bool read();
  void give_back() noexcept;

  Reactor& reactor_;
};

}  // namespace weft::serve
