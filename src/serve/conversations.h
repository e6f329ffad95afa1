// SPDX-License-Identifier: Apache-2.0
// Conversations: a server with one line of execution, a thread or a fiber, for each connection.
//
// The simple way to write a server: read, answer, write, and wait in between. It shares with the
// reactors all but that: exchanges, sites and limits. There is no queue, so nothing is refused for
// load but connections, and a slow client holds its line.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "net/stream.h"
#include "os/file.h"
#include "serve/concurrency.h"
#include "serve/counters.h"
#include "serve/exchange.h"
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
    return totals;
  }

 private:
  void accept_from(os::Descriptor& listener);
  // False: errno says why.
  bool accept_one(int listener);
  void open(os::Descriptor socket, std::string peer);
  // Answers whether the socket is still open.
  bool converse_on(int socket, const std::string& peer) noexcept;
  void converse(net::Stream& stream, const std::string& peer);
  void answer(Exchange& exchange, const std::string& peer);
  // All answer whether the connection goes on.
  bool flush(net::Stream& stream, Exchange& exchange);
  bool read(net::Stream& stream, Exchange& exchange);
  bool wait(const net::Stream& stream, short events, http::TimePoint until);
  void line_ends() noexcept;
  // Whether all lines have ended by then.
  bool wait_for_lines(std::chrono::steady_clock::time_point until);

  const ReactorLimits limits_;
  Site& site_;
  std::vector<os::Descriptor> listeners_;
  TlsSource tls_;
  Counters counters_;
  std::atomic<bool> draining_{false};

  std::mutex lock_;
  std::condition_variable line_ended_;
  std::size_t lines_ = 0;            // guarded by lock_; those that accept, too
  bool ending_ = false;              // guarded by lock_; no new ones
  std::unordered_set<int> sockets_;  // guarded by lock_; of the connections

  std::unique_ptr<Concurrency> concurrency_;
};

}  // namespace weft::serve
