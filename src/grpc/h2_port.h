// SPDX-License-Identifier: Apache-2.0
// H2Port: weft's own transport, of one worker: HTTP/2 by nghttp2, on an epoll of the worker's own.
//
// Concepts
//   port         the connections of a worker. Its thread is the only one that touches any of this.
//   connection   a socket and a session of nghttp2 (h2_connection.h). Stays with its worker.
//   stream       a call as HTTP/2 has it (h2_stream.h), and the Wire of a Call
//   (<weft/grpc_call.h>). settled      of a stream: all that came of what nghttp2 said was given
//   on. nghttp2's callbacks
//                only note things and post the stream; handlers run when it is settled, and so
//                never while nghttp2 is at work, which therefore may be given answers at any time.
//   dirty        of a connection: nghttp2 has something to say there.
//
// A round (epoll_poller.h): whatever is ready is read, a bounded piece of each connection, and
// given to nghttp2; then the streams that this led to are settled, which begins calls and goes on
// with them; then each dirty connection sends all it has, by one call of the kernel. So everything
// that has come was taken before the first handler runs, and the answers of a connection leave
// together.
//
// States of a connection
//   opening   --the client's settings have come-->         serving
//   serving   --drain(): the worker leaves, or all end-->   draining: a first GOAWAY, and a ping
//   draining  --the ping is answered, or was not in time--> last: GOAWAY with the last stream that
//                                                           is seen to; nghttp2 ignores later ones
//   any       --nghttp2 is done, or has had enough-->       lingering: our side is shut; what comes
//                                                           is thrown away until the client is gone
//   any       --the socket fails, or time is up-->          closed
//
// States of a stream
//   head     --all headers are there-->                     opening, or refused
//   opening  --the message is there, where there is one-->  running: it has a call
//   opening  --something is wrong with it-->                refused: answered without a call
//   running  --the call is over, and the stream closed-->   free, and used again
//   refused  --the stream is closed-->                      free
//
// Invariants
//   - A call begins when it is known whole: its headers, and its message where it has one. What was
//     not begun was not acknowledged: when the server ends it is reset as REFUSED_STREAM, or lies
//     behind the last stream of the GOAWAY, and clients know that they may ask again.
//   - A tag of a call comes exactly once, and never while the operation is begun.
//   - What is kept for a stream is bounded. Of what is received: the window, or one message where
//     somebody waits for it; the window is given back as the handler reads. Of what is sent: a
//     message more than write() lets through. All streams of a port together: its share of the
//     memory (ServerOptions::memory_share); the stream by which it would be more is refused.
//   - A queue is neither left nor closed while there are connections: each is counted as work.
//
// Rejected: a listener for each worker (SO_REUSEPORT), among which the kernel shares connections
// out by chance. Clients of gRPC have few connections, and keep them: whoever accepts gives the
// connection to the worker with the fewest.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/atomic.h"
#include "grpc/epoll_poller.h"
#include "grpc/h2_connection.h"
#include "grpc/h2_stream.h"
#include "net/listener.h"

namespace weft::grpc {

class Worker;

class H2Port final : private EpollPoller::Follower, private Timer {
 public:
  H2Port(Worker& worker, EpollPoller& poller);
  ~H2Port();
  H2Port(const H2Port&) = delete;
  H2Port& operator=(const H2Port&) = delete;

  // For the worker's thread.

  // Accepts connections, until it drains.
  void open();
  // Accepts no more, and ends its connections when what is under way there has.
  void drain();
  // Ends some in that way, until no more than so many are left.
  void drain_beyond(std::uint32_t connections);
  // Time is up: nothing more is begun, and each connection ends with what has begun there.
  void refuse_unbegun();
  // Ends all, whatever is under way.
  void cut();
  void take(net::Accepted accepted);

  // For any thread: connections that it has or is about to get, and that do not drain.
  atomic<std::uint32_t>& connections() noexcept { return connections_; }

  // For connections and streams.
  Worker& worker() noexcept { return worker_; }
  EpollPoller& poller() noexcept { return poller_; }
  // Of the methods; none: -1.
  std::int32_t line_of(std::string_view path) const noexcept;
  bool takes_one_message(std::int32_t line) const noexcept;
  H2Stream& make_stream();
  void free(H2Stream& stream) noexcept;
  void wants_to_write(H2Connection& connection);
  // One that does not get new streams any more.
  void begins_to_drain() noexcept;
  void closed(H2Connection& connection);
  std::string& output() noexcept { return output_; }
  std::span<char> input() noexcept { return input_; }
  // Bytes that are kept for handlers, of all streams. False: it is too much.
  bool keep(std::size_t bytes) noexcept;
  void give_back(std::size_t bytes) noexcept { kept_bytes_ -= bytes; }

 private:
  // A socket to listen on.
  struct Door final : EpollPoller::Watched {
    Door(H2Port& own, int number) noexcept : port(own), listener(number) {}
    void on_ready(std::uint32_t) override { port.accept_some(listener); }
    H2Port& port;
    int listener;
  };

  void see_to_all() override {}
  bool finish_round() override;
  void expire() override;
  void accept_some(int listener);
  void watch_doors() noexcept;
  void forget_doors() noexcept;

  Worker& worker_;
  EpollPoller& poller_;
  std::unordered_map<std::string_view, std::int32_t> lines_;
  std::vector<Door> doors_;
  bool is_open_ = false;  // accepts
  bool drains_ = false;
  atomic<std::uint32_t> connections_{0};
  H2Connection* first_ = nullptr;
  std::vector<H2Connection*> dirty_;
  std::vector<H2Connection*> being_sent_;
  std::vector<std::unique_ptr<H2Connection>> closed_;  // freed when no event can name them
  std::deque<std::unique_ptr<H2Stream>> streams_;      // all there are
  std::vector<H2Stream*> free_;
  std::string output_;
  std::vector<char> input_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace weft::grpc
