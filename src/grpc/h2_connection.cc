// SPDX-License-Identifier: Apache-2.0
// A connection's life: it is read, written, pinged, drained and closed.
#include "grpc/h2_connection.h"

#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "grpc/h2_port.h"
#include "grpc/h2_session.h"
#include "grpc/h2_stream.h"
#include "grpc/worker.h"
#include "net/socket_call.h"

namespace weft::grpc {
namespace {

using namespace std::chrono_literals;

constexpr auto opening_patience = 20s;
constexpr auto drain_patience = 250ms;     // until the client has answered a ping
constexpr auto linger_patience = 250ms;    // until it has gone, when it has taken all
constexpr auto last_words_patience = 10s;  // until it takes some of what is the last
constexpr auto as_good_as_never = 24h * 365;

constexpr int most_reads = 4;  // in a round, so that others have their turn
constexpr std::int32_t stream_window_bytes = 256 << 10;
constexpr std::int32_t connection_window_bytes = 1 << 20;
constexpr std::uint32_t most_header_list_bytes = 16 << 10;

// Beyond this, write() waits until its own last message was sent.
constexpr std::ptrdiff_t much_queued_bytes = 1 << 20;
// Frames that wait to be sent to a client that does not read, before it is not read any more.
constexpr std::size_t much_outbound_frames = 4096;

constexpr int most_strikes = 2;  // pings that come too soon, as gRPC has it

// Streams that nghttp2 resets because of what the client has sent cost as much as those that the
// client resets, which nghttp2 counts itself.
constexpr double most_resets = most_resets_at_once;

constexpr std::string_view drain_words = "draining";  // eight bytes, as pings have them

std::string peer_text(const net::Address& address) {
  if (address.family() == AF_UNIX) return "unix:";
  return (address.family() == AF_INET ? "ipv4:" : "ipv6:") + address.text();
}

std::chrono::nanoseconds bounded(std::chrono::milliseconds duration) {
  return std::min<std::chrono::nanoseconds>(duration, as_good_as_never);
}

}  // namespace

H2Connection::H2Connection(H2Port& port, net::Accepted accepted)
    : port_(port),
      socket_(std::move(accepted.socket)),
      peer_(std::make_shared<const std::string>(peer_text(accepted.address))),
      session_(make_session(*this)),
      heard_at_(port.poller().now()),
      resets_left_(most_resets),
      resets_counted_at_(heard_at_) {
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, port.worker().site().options.concurrent_streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, stream_window_bytes},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, most_header_list_bytes}};
  nghttp2_session* const session = session_.get();
  if (::nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, std::size(settings)) != 0 ||
      ::nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0,
                                              connection_window_bytes) != 0) {
    throw std::bad_alloc();
  }
  watched_ = EPOLLIN;
  if (!port_.poller().watch(socket_.get(), watched_, *this)) throw std::bad_alloc();
  port_.poller().set(*this, heard_at_ + opening_patience);
}

H2Connection::~H2Connection() = default;

std::string& H2Connection::output() noexcept {
  return port_.output();
}

H2Stream& H2Connection::make_stream(std::int32_t id) {
  H2Stream& stream = port_.make_stream();
  stream.open(*this, id);
  stream.previous = nullptr;
  stream.next = streams_;
  if (streams_ != nullptr) streams_->previous = &stream;
  streams_ = &stream;
  return stream;
}

void H2Connection::remove(H2Stream& stream) noexcept {
  (stream.previous != nullptr ? stream.previous->next : streams_) = stream.next;
  if (stream.next != nullptr) stream.next->previous = stream.previous;
  stream.next = stream.previous = nullptr;
}

bool H2Connection::has_much_queued() const noexcept {
  return queued_bytes_ > much_queued_bytes;
}

void H2Connection::on_ready(std::uint32_t events) {
  if (state_ == State::closed) return;
  if (state_ == State::lingering) return discard();
  if ((events & EPOLLOUT) != 0) port_.wants_to_write(*this);
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 && !read()) close();
}

// False: the client has gone, or nghttp2 cannot go on.
bool H2Connection::read() {
  if (is_goaway_under_way_) return true;
  const std::span<char> room = port_.input();
  for (int i = 0; i < most_reads; ++i) {
    const long bytes = net::receive(socket_.get(), room);
    if (bytes == -EAGAIN) return true;
    if (bytes <= 0) return false;
    heard_at_ = port_.poller().now();
    const auto size = static_cast<std::size_t>(bytes);
    port_.wants_to_write(*this);  // also to find out whether it is done
    const bool goes_on = idle_resets_.pass({room.data(), size}, [this](std::string_view piece) {
      return ::nghttp2_session_mem_recv(session_.get(),
                                        reinterpret_cast<const std::uint8_t*>(piece.data()),
                                        piece.size()) >= 0;
    });
    if (!goes_on) return has_had_enough_;  // and is to be told so
    for (std::uint32_t idle = idle_resets_.take_count(); idle != 0; --idle) on_reset();
    if (size < room.size() || has_had_enough_) return true;
  }
  return true;
}

void H2Connection::discard() {
  const std::span<char> room = port_.input();
  long bytes = 0;
  for (int i = 0; i < most_reads; ++i) {
    bytes = net::receive(socket_.get(), room);
    if (bytes <= 0) break;
  }
  if (bytes != -EAGAIN && bytes <= 0) close();
}

void H2Connection::send_unsent() {
  const std::string_view rest = std::string_view(unsent_).substr(unsent_begin_);
  const long sent = net::send(socket_.get(), rest);
  if (sent < 0 && sent != -EAGAIN) return close();
  unsent_begin_ += static_cast<std::size_t>(std::max(sent, 0L));
  if (sent > 0) taken_at_ = port_.poller().now();
  if (unsent_begin_ < unsent_.size()) return;
  unsent_ = std::string();
  unsent_begin_ = 0;
  watch(EPOLLIN);
}

void H2Connection::flush() {
  if (state_ == State::closed || state_ == State::lingering) return;
  if (is_blocked()) send_unsent();
  if (state_ == State::closed) return;
  nghttp2_session* const session = session_.get();
  if (!is_blocked()) {
    submit_last_goaway();
    std::string& output = port_.output();
    output.clear();
    while (output.size() < most_output_bytes) {
      const std::uint8_t* bytes = nullptr;
      const ssize_t size = ::nghttp2_session_mem_send(session, &bytes);
      if (size < 0) return close();
      if (size == 0) break;
      output.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    }
    const long sent = output.empty() ? 0 : net::send(socket_.get(), output);
    if (sent < 0 && sent != -EAGAIN) return close();
    const auto taken = static_cast<std::size_t>(std::max(sent, 0L));
    if (taken < output.size()) {
      unsent_.assign(output, taken);
      taken_at_ = port_.poller().now();
    } else if (output.size() >= most_output_bytes) {
      port_.wants_to_write(*this);
    }
  }
  if (is_blocked()) {
    if (::nghttp2_session_want_read(session) == 0) has_had_enough_ = true;
    if (has_had_enough_) port_.poller().set(*this, taken_at_ + last_words_patience);
    const bool reads = !is_goaway_under_way_ && !has_had_enough_ &&
                       ::nghttp2_session_get_outbound_queue_size(session) < much_outbound_frames;
    return watch(reads ? EPOLLIN | EPOLLOUT : EPOLLOUT);
  }
  const bool is_done =
      ::nghttp2_session_want_read(session) == 0 && ::nghttp2_session_want_write(session) == 0;
  if (is_done || (has_had_enough_ && ::nghttp2_session_want_write(session) == 0)) linger();
}

void H2Connection::watch(std::uint32_t events) noexcept {
  if (std::exchange(watched_, events) == events) return;
  port_.poller().change(socket_.get(), events, *this);
}

void H2Connection::on_settings() {
  if (state_ != State::opening) return;
  state_ = State::serving;
  if (!drains_) set_alarm();
}

void H2Connection::set_alarm() {
  const ServerOptions& options = port_.worker().site().options;
  port_.poller().set(*this, heard_at_ + bounded(options.keepalive_interval));
}

void H2Connection::on_ping_answered(std::string_view words) {
  if (drains_ && words == drain_words) want_last_goaway();
}

void H2Connection::on_ping() {
  const Instant now = port_.poller().now();
  const bool is_too_soon = pinged_at_ != Instant() &&
                           now - pinged_at_ < port_.worker().site().options.least_ping_interval;
  pinged_at_ = now;
  if (is_too_soon && ++strikes_ > most_strikes) give_up("too_many_pings");
}

void H2Connection::on_sent_for_a_stream() noexcept {
  strikes_ = 0;
  pinged_at_ = Instant();
}

void H2Connection::on_reset() {
  const Instant now = port_.poller().now();
  const double seconds = std::chrono::duration<double>(now - resets_counted_at_).count();
  resets_counted_at_ = now;
  resets_left_ = std::min(most_resets, resets_left_ + seconds * double{resets_per_second});
  if (--resets_left_ < 0) give_up("too_many_resets");
}

// Not at once: nghttp2 may be at work.
void H2Connection::give_up(std::string_view reason) {
  if (std::exchange(has_had_enough_, true)) return;
  nghttp2_session* const session = session_.get();
  ::nghttp2_submit_goaway(session, NGHTTP2_FLAG_NONE,
                          ::nghttp2_session_get_last_proc_stream_id(session),
                          NGHTTP2_ENHANCE_YOUR_CALM,
                          reinterpret_cast<const std::uint8_t*>(reason.data()), reason.size());
  port_.wants_to_write(*this);
}

void H2Connection::drain() {
  if (state_ == State::closed || std::exchange(drains_, true)) return;
  port_.begins_to_drain();
  if (state_ == State::lingering) return;
  ::nghttp2_submit_shutdown_notice(session_.get());
  port_.poller().set(*this, port_.poller().now() + drain_patience);
  port_.wants_to_write(*this);
}

// A client that has answered the ping has heard before that it is to begin nothing more here.
void H2Connection::on_goaway_sent() {
  if (has_last_goaway_) {
    is_goaway_under_way_ = false;
  } else if (drains_) {
    ::nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE,
                          reinterpret_cast<const std::uint8_t*>(drain_words.data()));
  }
}

// What is read between now and when it is sent is seen to as well, so its last stream is not known.
void H2Connection::want_last_goaway() {
  if (state_ == State::closed || state_ == State::lingering) return;
  if (std::exchange(wants_last_goaway_, true)) return;
  set_alarm();
  port_.wants_to_write(*this);
}

void H2Connection::submit_last_goaway() {
  if (!wants_last_goaway_ || std::exchange(has_last_goaway_, true)) return;
  is_goaway_under_way_ = true;
  nghttp2_session* const session = session_.get();
  ::nghttp2_submit_goaway(session, NGHTTP2_FLAG_NONE,
                          ::nghttp2_session_get_last_proc_stream_id(session), NGHTTP2_NO_ERROR,
                          nullptr, 0);
}

void H2Connection::refuse_unbegun() {
  if (state_ == State::closed || state_ == State::lingering) return;
  refuses_ = true;
  drain();
  want_last_goaway();
  for (H2Stream* stream = streams_; stream != nullptr; stream = stream->next) {
    stream->refuse_unbegun();
  }
}

void H2Connection::expire() {
  if (state_ == State::opening && !drains_) return close();
  if (state_ == State::lingering) return expire_lingering();
  if (has_had_enough_) return close();
  if (drains_ && !wants_last_goaway_) return want_last_goaway();
  const ServerOptions& options = port_.worker().site().options;
  const Instant now = port_.poller().now();
  const bool was_heard = heard_at_ > asked_at_;
  if (is_asked_ && !was_heard) return close();
  is_asked_ = now - heard_at_ >= bounded(options.keepalive_interval);
  if (!is_asked_) return set_alarm();
  asked_at_ = now;
  ::nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr);
  port_.poller().set(*this, now + bounded(options.keepalive_timeout));
  port_.wants_to_write(*this);
}

// Who closes a socket that has unread bytes throws away what was sent last.
void H2Connection::linger() {
  while (streams_ != nullptr) streams_->on_closed();
  state_ = State::lingering;
  taken_at_ = port_.poller().now();
  ::shutdown(socket_.get(), SHUT_WR);
  watch(EPOLLIN);
  port_.poller().set(*this, port_.poller().now() + linger_patience);
}

// The kernel has all of it, the client perhaps not: it is given as long as it takes some of it.
void H2Connection::expire_lingering() {
  int left = 0;
  if (::ioctl(socket_.get(), SIOCOUTQ, &left) != 0 || left == 0) return close();
  const Instant now = port_.poller().now();
  if (left != kernel_bytes_) {
    kernel_bytes_ = left;
    taken_at_ = now;
  } else if (now - taken_at_ > last_words_patience) {
    return close();
  }
  port_.poller().set(*this, now + linger_patience);
}

void H2Connection::close() {
  if (state_ == State::closed) return;
  state_ = State::closed;
  while (streams_ != nullptr) streams_->on_closed();
  port_.poller().cancel(*this);
  port_.poller().forget(socket_.get());
  socket_.reset();
  if (!std::exchange(drains_, true)) port_.begins_to_drain();
  port_.closed(*this);
}

}  // namespace weft::grpc
