// SPDX-License-Identifier: Apache-2.0
// Conversations: a server with one line of execution, a thread or a fiber, for each connection.
//
// The simple way to write a server: read, answer, write, and wait in between. It shares with the
// reactors all but that: exchanges, sites and limits. There is no queue, so nothing is refused for
// load but connections, and a slow client holds its line.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "net/address.h"
#include "net/stream.h"
#include "os/file.h"
#include "serve/await_word.h"
#include "serve/concurrency.h"
#include "serve/counters.h"
#include "serve/exchange.h"
#include "serve/handler_token.h"
#include "serve/hang_ups.h"
#include "serve/line_count.h"
#include "serve/peer_counts.h"
#include "serve/reactor.h"
#include "serve/running_server.h"
#include "serve/site.h"
#include "serve/tls_source.h"

namespace weft::serve {

class Conversations final : public RunningServer {
 public:
  // The site outlives it.
  Conversations(const ReactorLimits& limits, Site& site, std::vector<os::Descriptor> listeners,
                std::unique_ptr<Concurrency> concurrency);
  ~Conversations() override;

  void use_tls(std::shared_ptr<const net::TlsContext> context) override {
    tls_.replace(std::move(context));
  }
  void start() override;
  bool drain(std::chrono::milliseconds grace) override;
  Totals totals() const override {
    Totals totals;
    counters_.add_to(totals);
    totals.body_bytes = memory_.used_bytes();
    return totals;
  }

 private:
  void accept_from(os::Descriptor& listener);
  // False: errno says why. What there is no memory for is refused.
  bool accept_one(int listener) noexcept;
  struct Line {
    Line(int socket, net::Peer peer) : socket(socket), peer(std::move(peer)) {}

    const int socket;  // open until the line has ended
    const net::Peer peer;
    AwaitWord awaits;
    const std::shared_ptr<HandlerToken> handler = std::make_shared<HandlerToken>();
  };

  void open(os::Descriptor socket, net::Peer peer);
  // False: there are too many already, or there is to be no other. Throws where there is no memory.
  bool add_line(const std::shared_ptr<Line>& line);
  void end_line(const Line& line) noexcept;
  void converse_on(Line& line) noexcept;
  void converse(net::Stream& stream, Line& line) noexcept;
  void converse(net::Stream& stream, Exchange& exchange, Line& line);
  void answer(Exchange& exchange, Line& line);
  // All answer whether the connection goes on.
  bool flush(net::Stream& stream, Exchange& exchange);
  bool read(net::Stream& stream, Exchange& exchange, Line& line);
  bool wait(const net::Stream& stream, short events, http::TimePoint until);
  // Who has waited for that since before the end began hears of it now. What has begun to come goes
  // on.
  void end_those_that_await(Awaits awaited);

  const ReactorLimits limits_;
  Site& site_;
  std::vector<os::Descriptor> listeners_;
  TlsSource tls_;
  BodyMemory memory_;
  Counters counters_;
  std::atomic<bool> draining_{false};
  HangUps hang_ups_;

  LineCount acceptors_;
  LineCount lines_;  // those that accept, too

  std::mutex lock_;
  // All guarded by lock_.
  bool ending_ = false;                                         // no new ones
  std::unordered_map<int, std::shared_ptr<Line>> connections_;  // by their sockets
  PeerCounts peers_;

  std::unique_ptr<Concurrency> concurrency_;
};

}  // namespace weft::serve
