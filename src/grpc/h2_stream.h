// SPDX-License-Identifier: Apache-2.0
// H2Stream: a stream of HTTP/2 that carries a call. See h2_port.h for its states.
#pragma once

#include <weft/grpc_wire.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/messages.h"

namespace weft::grpc {

class Call;
class H2Connection;
class H2Port;

class H2Stream final : public Wire, private Timer {
 public:
  using Carrier::Instant;

  explicit H2Stream(H2Port& port);
  H2Stream(const H2Stream&) = delete;
  H2Stream& operator=(const H2Stream&) = delete;

  // What nghttp2 says. None of these runs a handler.
  void open(H2Connection& connection, std::int32_t id);
  void on_header(std::string_view name, std::string_view value);
  void on_head();
  void on_data(std::string_view bytes);
  void on_client_end();
  void on_answer_sent();
  // Its answer may have been sent, or not.
  void on_closed();
  // Of what it has to send: how much of it now, and whether that is all; none: it has to wait.
  struct Piece {
    std::size_t bytes;
    bool is_last;
  };
  std::optional<Piece> next_piece(std::size_t most) noexcept;
  std::string_view take_piece(std::size_t bytes) noexcept;
  void submit_trailers();

  bool is_answered() const noexcept { return is_answered_; }
  bool has_begun() const noexcept { return phase_ == Phase::running; }
  bool is_posted() const noexcept { return later_.is_posted; }
  bool is_free() const noexcept { return phase_ == Phase::free; }
  // Of one that has not begun: never will. The client may ask again.
  void refuse_unbegun();

  const Metadata& metadata() override;
  std::string_view find(std::string_view name) const override;
  std::string peer() const override { return *peer_; }
  void add_header(const std::string& name, const std::string& value) override;
  void add_trailer(const std::string& name, const std::string& value) override;
  Instant deadline(Instant) const override { return deadline_; }
  std::chrono::nanoseconds lateness() const noexcept override { return lateness_; }
  bool is_cancelled() const override { return is_closed_ && !was_delivered(); }
  bool is_cut_off() override { return is_broken_ || is_cancelled(); }

  void read(Message& into, Tag& tag) override;
  void write(const Message& message, Tag& tag) override;
  void finish(const Message* message, const ::grpc::Status& status, Tag& tag) override;
  ::grpc::StatusCode sent_code() const noexcept override { return code_; }
  void release() noexcept override;

  H2Stream* next = nullptr;  // of the connection's
  H2Stream* previous = nullptr;

 private:
  enum class Phase : std::uint8_t { free, head, opening, running, refused };
  // Why it is refused.
  enum class Flaw : std::uint8_t { none, method, content_type, headers, timeout };
  struct Header {
    std::uint32_t name_begin;
    std::uint32_t name_bytes;
    std::uint32_t value_bytes;
  };
  struct Later final : queue::Posted {
    explicit Later(H2Stream& own) noexcept : Posted(&act_on), stream(own) {}
    static void act_on(Posted* self, bool);
    H2Stream& stream;
    bool is_posted = false;
  };
  using Fields = std::vector<std::pair<std::string, std::string>>;

  void expire() override;
  void post() noexcept;
  void settle();
  void settle_opening();
  void settle_messages();
  void settle_end();
  void begin_call(std::string_view message);
  void complete(Tag*& tag, bool is_ok);
  std::string_view name_of(const Header& header) const noexcept;
  std::string_view value_of(const Header& header) const noexcept;

  bool is_gone() const noexcept { return connection_ == nullptr || is_closed_; }
  bool was_delivered() const noexcept { return was_sent_ && !is_broken_; }
  std::size_t unsent_bytes() const noexcept { return output_.size() - sent_bytes_; }
  bool has_room() const noexcept;
  void append(const Message& message, std::size_t bytes);
  void drop_unsent() noexcept;
  // The client may send so much more.
  void give_window(std::size_t bytes) noexcept;
  void pop();
  void send_what_there_is();
  void answer(const ::grpc::Status& status);
  void answer_at_once(const ::grpc::Status& status);
  void answer_with_trailers_only();
  void answer_http(const char* status);
  // Without a call.
  void refuse(::grpc::StatusCode code, std::string message);
  // Of one that has a call, which is told that its client has gone.
  void break_off(::grpc::StatusCode code, std::string message);
  // Of what the client has sent; OK: nothing is wrong.
  ::grpc::Status verdict() const;

  H2Port& port_;
  H2Connection* connection_ = nullptr;  // none: it is free, or closed
  std::shared_ptr<const std::string> peer_;
  std::int32_t id_ = 0;
  std::int32_t line_ = -1;  // of the method
  Phase phase_ = Phase::free;
  Flaw flaw_ = Flaw::none;
  Later later_{*this};

  // What was received.
  std::string text_;  // of headers: names and values
  std::vector<Header> headers_;
  std::size_t header_bytes_ = 0;
  std::optional<Metadata> metadata_;  // of those who ask
  std::deque<std::string> decoded_;   // that it refers to
  Instant deadline_ = Instant::max();
  std::chrono::nanoseconds lateness_{};
  wire::Messages messages_;
  std::size_t kept_bytes_ = 0;  // in the port's account
  std::size_t held_bytes_ = 0;  // received, for which the window was not given back
  bool has_type_ = false;       // gRPC's
  bool takes_one_message_ = false;
  bool is_unknown_ = false;  // counted as such
  bool has_client_ended_ = false;
  bool is_closed_ = false;  // by nghttp2, or with the connection

  // What is sent.
  std::string output_;
  std::size_t sent_bytes_ = 0;
  Fields added_headers_;
  Fields trailers_;
  ::grpc::StatusCode code_ = ::grpc::StatusCode::UNKNOWN;
  std::string message_;
  bool has_head_ = false;      // nghttp2 has our headers
  bool has_trailers_ = false;  // and our trailers
  bool is_trailers_only_ = false;
  bool is_waiting_ = false;  // nghttp2 has to be told when there is more
  bool is_answered_ = false;
  bool is_broken_ = false;  // answered by us, whatever the call says
  bool was_sent_ = false;   // the answer

  Call* call_ = nullptr;
  Message* into_ = nullptr;
  Tag* read_tag_ = nullptr;
  Tag* write_tag_ = nullptr;
  Tag* finish_tag_ = nullptr;
  bool is_done_ = false;  // the call knows
};

}  // namespace weft::grpc
