// SPDX-License-Identifier: Apache-2.0
// H2Connection: a socket and a session of nghttp2. See h2_port.h for its states.
#pragma once

#include <nghttp2/nghttp2.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "grpc/epoll_poller.h"
#include "net/listener.h"
#include "os/file.h"
#include "wire/idle_resets.h"

namespace weft::grpc {

class H2Port;
class H2Stream;
struct ServerOptions;

class H2Connection final : public EpollPoller::Watched, private Timer {
 public:
  using Timer::Instant;

  // Throws std::bad_alloc.
  H2Connection(H2Port& port, net::Accepted accepted);
  ~H2Connection();
  H2Connection(const H2Connection&) = delete;
  H2Connection& operator=(const H2Connection&) = delete;

  void on_ready(std::uint32_t events) override;
  // Sends what nghttp2 has to say, as far as the socket takes it.
  void flush();
  void drain();
  bool drains() const noexcept { return drains_; }
  // Refuses what has not begun, and takes nothing more.
  void refuse_unbegun();
  bool refuses() const noexcept { return refuses_; }
  void close();
  bool is_closed() const noexcept { return state_ == State::closed; }

  // What nghttp2 says.
  void on_settings();
  void on_ping();
  void on_ping_answered(std::string_view words);
  // The client, or nghttp2, has ended a stream before it was answered.
  void on_reset();
  void on_sent_for_a_stream() noexcept;
  void on_goaway_sent();
  // Throws std::bad_alloc.
  H2Stream& make_stream(std::int32_t id);
  std::string& output() noexcept;

  // For its streams.
  nghttp2_session* session() noexcept { return session_.get(); }
  const std::shared_ptr<const std::string>& peer() const noexcept { return peer_; }
  void remove(H2Stream& stream) noexcept;
  void add_queued(std::ptrdiff_t bytes) noexcept { queued_bytes_ += bytes; }
  bool has_much_queued() const noexcept;

  H2Connection* next = nullptr;  // of the port's
  H2Connection* previous = nullptr;
  bool is_dirty = false;

 private:
  enum class State : std::uint8_t { opening, serving, lingering, closed };
  struct Delete {
    void operator()(nghttp2_session* session) const noexcept { ::nghttp2_session_del(session); }
  };

  void expire() override;
  bool read();
  void discard();
  void linger();
  void expire_lingering();
  void want_last_goaway();
  void submit_last_goaway();
  void send_unsent();
  bool is_blocked() const noexcept { return !unsent_.empty(); }
  void give_up(std::string_view reason);
  // When to look after it again.
  void set_alarm();
  void watch(std::uint32_t events) noexcept;

  H2Port& port_;
  os::Descriptor socket_;
  std::shared_ptr<const std::string> peer_;
  wire::IdleResets idle_resets_;
  std::unique_ptr<nghttp2_session, Delete> session_;
  State state_ = State::opening;
  bool drains_ = false;
  bool wants_last_goaway_ = false;
  bool has_last_goaway_ = false;
  bool is_goaway_under_way_ = false;  // nothing is read: it says which streams were
  bool is_asked_ = false;             // for a sign of life
  bool refuses_ = false;              // whatever has not begun
  bool has_had_enough_ = false;       // nothing but a GOAWAY is left to be said
  std::uint32_t watched_ = 0;
  H2Stream* streams_ = nullptr;
  std::string unsent_;  // that the socket did not take
  std::size_t unsent_begin_ = 0;
  std::ptrdiff_t queued_bytes_ = 0;  // of all its streams
  Instant taken_at_{};               // when the client last took some of what it is to get
  int kernel_bytes_ = 0;             // that it had not, by then
  Instant heard_at_;
  Instant asked_at_{};
  Instant pinged_at_{};  // by the client
  int strikes_ = 0;
  double resets_left_;
  Instant resets_counted_at_;
};

}  // namespace weft::grpc
