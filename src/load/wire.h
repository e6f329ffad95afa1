// SPDX-License-Identifier: Apache-2.0
// Wire: the connections of one thread of the generator, on one epoll.
//
//   closed --open--> connecting --done--> idle --send--> busy --whole answer--> idle, or closed
//   send while connecting waits for it; what fails, at any point, is an end like any other
//
// Everything belongs to one thread. Who uses a wire is told of each end by ended(), never from
// within open() or send(): what fails there is told by the next poll(), so that trying again cannot
// recurse.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "load/endpoint.h"
#include "load/response_parser.h"
#include "load/sample.h"
#include "load/stream.h"
#include "os/file.h"

namespace weft::load {

using SteadyClock = std::chrono::steady_clock;

struct Connection {
  enum class State : std::uint8_t { closed, connecting, idle, busy };
  State state = State::closed;
  std::size_t endpoint = 0;
  std::size_t tag = 0;                       // of the request, for who sent it
  const PreparedRequest* request = nullptr;  // none: it has nothing to do
  // The rest is the wire's own.
  Stream stream;
  ResponseParser parser;
  std::size_t written = 0;  // bytes of the request
  bool is_failing = false;  // to be told by the next poll()
  nanoseconds connect_begin{0};
  nanoseconds connect{0};
  nanoseconds sent{0};
  nanoseconds first_byte{0};
};

// How a request ended, in times since the start of the run.
struct Exchange {
  Outcome outcome = Outcome::good;
  std::uint16_t status = 0;
  nanoseconds connect{0};
  nanoseconds sent{0};
  nanoseconds first_byte{0};
  nanoseconds end{0};
};

class WireUser {
 public:
  // The connection is idle now, and may be sent on, or closed, and must be let go.
  virtual void ended(Connection& connection, const Exchange& exchange) = 0;
  // An idle connection is gone, or one that was opened without a request.
  virtual void lost(Connection& connection) = 0;
  // A connection that was opened without a request is idle.
  virtual void connected(Connection& connection) = 0;

 protected:
  ~WireUser() = default;
};

class Wire {
 public:
  static constexpr std::size_t most_events = 256;  // of one poll()

  static base::Result<Wire> make(const Targets& targets, const TlsContext* tls);

  void start(WireUser& user, SteadyClock::time_point origin) noexcept;
  nanoseconds now() const noexcept { return SteadyClock::now() - origin_; }

  Connection& open(std::size_t endpoint);
  // Precondition: the connection is connecting or idle, without a request.
  void send(Connection& connection, const PreparedRequest& request, std::size_t tag);
  // Closes it; nobody is told.
  void abandon(Connection& connection);

  // Waits no longer than this and handles what there is, but no more than `most`; 0: does not wait.
  // How many events.
  std::size_t poll(nanoseconds longest, std::size_t most = most_events);
  unsigned opened() const noexcept { return opened_; }

 private:
  explicit Wire(const Targets& targets, const TlsContext* tls);
  void handle(Connection& connection, bool peer_closed);
  void go_on_connecting(Connection& connection);
  void write(Connection& connection);
  void read(Connection& connection, bool peer_closed);
  bool feed(Connection& connection, std::size_t bytes);
  void end(Connection& connection, Outcome outcome);
  void fail_later(Connection& connection, Outcome outcome);
  std::size_t tell_failures();

  const Targets* targets_;
  const TlsContext* tls_;
  os::Descriptor epoll_;
  WireUser* user_ = nullptr;
  SteadyClock::time_point origin_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Connection*> spare_;  // closed, to be used again
  struct Failure {
    Connection* connection;
    Outcome outcome;
  };
  std::vector<Failure> failures_;  // to be told by the next poll()
  std::vector<char> buffer_;
  unsigned opened_ = 0;
  bool has_nanoseconds_ = true;  // Linux 5.11 has
};

}  // namespace weft::load
