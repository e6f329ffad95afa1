// SPDX-License-Identifier: Apache-2.0
// Reactor: a thread that owns sockets. See DESIGN.md.
#pragma once

#include <weft/admission_control.h>
#include <weft/pool.h>

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "base/atomic.h"
#include "net/address.h"
#include "net/deadlines.h"
#include "os/file.h"
#include "serve/connection.h"
#include "serve/counters.h"
#include "serve/peer_counts.h"
#include "serve/site.h"
#include "serve/tls_source.h"

namespace weft::serve {

struct ReactorLimits {
  http::SessionLimits session;
  std::size_t connections = 16'384;
  std::size_t connections_by_peer = 16'384;                   // loopback has one peer
  http::Pace read_pace;                                       // of a peer that is sent something
  std::chrono::milliseconds linger{1'000};                    // after the last word, for the peer's
  std::uint64_t all_bodies_bytes = std::uint64_t{256} << 20;  // of requests, held at once
  // When the server ends, these are waited for so long:
  std::chrono::milliseconds drain_accepting{50};     // who has begun to connect
  std::chrono::milliseconds drain_idle{250};         // the next request of an idle connection
  std::chrono::milliseconds drain_handshake{2'000};  // that of one whose TLS has not begun by then
  std::chrono::seconds retry_after{1};
  // Asked before a request goes to a worker; outlives the server. None: all are let in.
  AdmissionControl* admission = nullptr;
};

class Reactor {
 public:
  // All outlive it. Listeners are shared with other reactors.
  Reactor(const ReactorLimits& limits, Site& site, Pool& pool, BodyMemory& memory,
          const std::vector<os::Descriptor>& listeners, const TlsSource& tls);
  ~Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  void start(AccessLog* log = nullptr);
  // Accepts no more, and ends when the last connection has. For any thread.
  void begin_drain() noexcept;
  // No listener is used any more.
  bool has_let_go() const noexcept { return let_go_.load(std::memory_order_acquire); }
  // Ends although there are connections; those that are with workers are waited for. Workers may be
  // on their way out of post() until the pool is drained, so it must live as long.
  void end() noexcept;
  bool has_ended() const noexcept { return ended_.load(std::memory_order_acquire); }

  // For connections, on any thread.
  const http::SessionLimits& limits() const noexcept { return limits_.session; }
  Site& site() noexcept { return site_; }
  AccessLog* log() noexcept { return log_; }
  BodyMemory& memory() noexcept { return memory_; }
  Counters& counters() noexcept { return counters_; }
  const Counters& counters() const noexcept { return counters_; }
  bool is_draining() const noexcept { return draining_.load(std::memory_order_relaxed); }
  void post(Connection& connection) noexcept;
  // The answer to what there is no room for.
  void refuse_for_load(Response& response);
  void refuse(Response& response, const Admission& admission);

 private:
  void run();
  void pause_after_refusals() noexcept;
  void wait_and_serve();
  // Whether there may be more.
  bool accept_some(int listener);
  void turn_away(int listener);
  // False: there is no memory, or a limit of users.
  bool watch_listeners() noexcept;
  void pause_listeners() noexcept;
  void pause_accepting() noexcept;
  void open(os::Descriptor socket, const net::Address& address);
  // None: there is no memory, or no room in epoll.
  std::unique_ptr<Connection> make_connection(os::Descriptor socket,
                                              const net::Peer& peer) noexcept;
  // Reads, and answers the first request, without sending anything. False: it is not ours any more.
  bool hear(Connection& connection) noexcept;
  bool hear_request(Connection& connection);
  void serve(Connection& connection) noexcept;
  void serve_turns(Connection& connection);
  // Both answer whether the connection goes on here.
  bool answer(Connection& connection);
  Admission admit(Connection& connection);
  bool read(Connection& connection);
  void hand_to_worker(Connection& connection);
  void wait_for_edge(Connection& connection);
  void wait_for_reader(Connection& connection);
  void end_idle(Connection& connection);
  void linger(Connection& connection);
  void throw_away_input(Connection& connection);
  void close(Connection& connection) noexcept;
  void take_posted();
  void record_round(http::TimePoint now) noexcept;
  void free_closed() noexcept;
  void expire(Connection& connection);
  void drain_now();
  // Of the listeners.
  void let_go();
  // How long it is waited for when the server ends; max(): as long as it takes.
  std::chrono::milliseconds patience_with(const Connection& connection) const noexcept;
  void wake() noexcept;

  const ReactorLimits& limits_;
  Site& site_;
  Pool& pool_;
  BodyMemory& memory_;
  const std::vector<os::Descriptor>& listeners_;
  const TlsSource& tls_;
  AccessLog* log_ = nullptr;
  Counters counters_;

  // For any thread.
  atomic<Connection*> posted_{nullptr};
  atomic<bool> asleep_{false};
  atomic<bool> draining_{false};
  atomic<bool> abandoned_{false};
  atomic<bool> let_go_{false};
  atomic<bool> ended_{false};

  // The thread's own.
  os::Descriptor epoll_;
  os::Descriptor wakes_;
  os::Descriptor spare_;  // for when there are no more numbers
  net::Deadlines deadlines_;
  Moment moment_;
  Response at_once_;  // used again and again, for its memory
  // Requests that were answered at once, and those of them whose time counts.
  std::uint32_t at_once_in_round_ = 0;
  std::uint32_t timed_in_round_ = 0;
  std::uint32_t refused_in_round_ = 0;
  Connection* first_ = nullptr;
  Connection* closed_ = nullptr;    // freed when no event of this round can name them
  std::vector<Connection*> again_;  // have more to do, when others have had their turn
  PeerCounts peers_;
  http::TimePoint accepts_again_ = http::TimePoint::min();  // max(): never
  net::TimePoint lets_go_at_ = net::never;                  // of the listeners, at the end
  std::thread thread_;
};

}  // namespace weft::serve
