// SPDX-License-Identifier: Apache-2.0
// What a client has sent, noted while nghttp2 is at work, and given on when it is not.
#include "grpc/h2_stream.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>

#include "grpc/h2_connection.h"
#include "grpc/h2_port.h"
#include "grpc/worker.h"
#include "wire/texts.h"
#include "wire/timeout.h"

namespace weft::grpc {
namespace {

using ::grpc::StatusCode;

// Of a request's headers, each with 32 bytes as HTTP/2 counts them. gRPC's own limit.
constexpr std::size_t most_header_bytes = 16 << 10;
constexpr std::size_t header_overhead_bytes = 32;

// What one stream leaves to the next.
constexpr std::size_t most_kept_text_bytes = 4096;

// The protocol's own: nobody else gets to see them.
bool is_reserved(std::string_view name) noexcept {
  return name == "te" || name == "grpc-encoding" || name == "grpc-accept-encoding";
}

}  // namespace

H2Stream::H2Stream(H2Port& port) : port_(port) {}

void H2Stream::open(H2Connection& connection, std::int32_t id) {
  connection_ = &connection;
  peer_ = connection.peer();
  id_ = id;
  line_ = -1;
  phase_ = Phase::head;
  flaw_ = Flaw::none;
  text_.clear();
  headers_.clear();
  header_bytes_ = 0;
  deadline_ = Instant::max();
  lateness_ = port_.poller().lateness();
  held_bytes_ = 0;
  has_type_ = takes_one_message_ = is_unknown_ = has_client_ended_ = is_closed_ = false;
  sent_bytes_ = 0;
  code_ = StatusCode::UNKNOWN;
  has_head_ = has_trailers_ = is_trailers_only_ = is_waiting_ = is_answered_ = is_broken_ =
      was_sent_ = is_done_ = false;
}

void H2Stream::on_header(std::string_view name, std::string_view value) {
  header_bytes_ += name.size() + value.size() + header_overhead_bytes;
  if (header_bytes_ > most_header_bytes) flaw_ = Flaw::headers;
  if (flaw_ == Flaw::headers) return;
  if (name.starts_with(':')) {
    if (name == ":path") line_ = port_.line_of(value);
    if (name == ":method" && value != "POST") flaw_ = Flaw::method;
    return;
  }
  if (name == "content-type") {
    has_type_ = wire::is_grpc_content_type(value);
  } else if (name == "grpc-timeout") {
    const auto timeout = wire::parse_timeout(value);
    if (!timeout) flaw_ = Flaw::timeout;
    if (timeout) deadline_ = port_.poller().now() + *timeout;
  } else if (!is_reserved(name)) {
    headers_.push_back({static_cast<std::uint32_t>(text_.size()),
                        static_cast<std::uint32_t>(name.size()),
                        static_cast<std::uint32_t>(value.size())});
    text_.append(name).append(value);
  }
}

void H2Stream::on_head() {
  if (phase_ == Phase::refused) return;
  phase_ = Phase::opening;
  if (flaw_ == Flaw::none && !has_type_) flaw_ = Flaw::content_type;
  takes_one_message_ = line_ >= 0 && port_.takes_one_message(line_);
  messages_.restart(
      static_cast<std::size_t>(std::max(port_.worker().site().options.most_received_bytes, 0)));
  if (connection_->refuses()) return refuse_unbegun();
  if (deadline_ != Instant::max()) port_.poller().set(*this, deadline_);
  post();
}

void H2Stream::on_data(std::string_view bytes) {
  const bool is_wanted = !is_answered_ && phase_ != Phase::refused &&
                         messages_.problem() == wire::Messages::Problem::none &&
                         !(takes_one_message_ && phase_ == Phase::running);
  if (!is_wanted) return give_window(bytes.size());
  messages_.add(bytes);  // may throw
  kept_bytes_ += bytes.size();
  if (!port_.keep(bytes.size())) {
    constexpr const char* why = "the server has no memory left for messages";
    phase_ == Phase::running ? break_off(StatusCode::RESOURCE_EXHAUSTED, why)
                             : refuse(StatusCode::RESOURCE_EXHAUSTED, why);
  }
  if (takes_one_message_) {
    give_window(bytes.size());  // there is a limit to the message, and it is wanted
  } else {
    held_bytes_ += bytes.size();
  }
  if (read_tag_ != nullptr || phase_ == Phase::opening) post();
}

void H2Stream::on_client_end() {
  has_client_ended_ = true;
  post();
}

void H2Stream::on_closed() {
  is_closed_ = true;
  port_.poller().cancel(*this);
  connection_->add_queued(-static_cast<std::ptrdiff_t>(unsent_bytes()));
  connection_->remove(*this);
  connection_ = nullptr;
  post();
}

void H2Stream::give_window(std::size_t bytes) noexcept {
  if (is_gone() || bytes == 0) return;
  ::nghttp2_session_consume_stream(connection_->session(), id_, bytes);
  port_.wants_to_write(*connection_);
}

void H2Stream::Later::act_on(Posted* self, bool) {
  auto& later = *static_cast<Later*>(self);
  later.is_posted = false;
  later.stream.settle();
}

void H2Stream::post() noexcept {
  if (std::exchange(later_.is_posted, true)) return;
  port_.worker().queue().post(&later_);
}

void H2Stream::settle() {
  if (phase_ == Phase::opening) settle_opening();
  if (phase_ == Phase::running && !is_closed_) settle_messages();
  if (is_closed_) settle_end();
}

::grpc::Status H2Stream::verdict() const {
  using Problem = wire::Messages::Problem;
  switch (messages_.problem()) {
    case Problem::compressed:
      return {StatusCode::UNIMPLEMENTED, "compressed messages are not understood"};
    case Problem::malformed:
      return {StatusCode::INTERNAL, "a message is malformed"};
    case Problem::too_long:
      return {StatusCode::RESOURCE_EXHAUSTED, "a message is longer than the server takes"};
    case Problem::none:
      break;
  }
  if (!has_client_ended_ || messages_.front()) return {};
  if (!messages_.empty()) return {StatusCode::INTERNAL, "a message is cut short"};
  if (takes_one_message_ && phase_ == Phase::opening) {
    return {StatusCode::INTERNAL, "the message is missing"};
  }
  return {};
}

void H2Stream::settle_opening() {
  switch (flaw_) {
    case Flaw::method:
      return answer_http("405");
    case Flaw::content_type:
      return answer_http("415");
    case Flaw::headers:
      return refuse(StatusCode::RESOURCE_EXHAUSTED, "the headers are longer than the server takes");
    case Flaw::timeout:
      return refuse(StatusCode::INTERNAL, "grpc-timeout is malformed");
    case Flaw::none:
      break;
  }
  if (line_ < 0) {
    is_unknown_ = true;
    port_.worker().unknown_begins();
    return refuse(StatusCode::UNIMPLEMENTED, "");
  }
  if (const ::grpc::Status wrong = verdict(); !wrong.ok()) {
    if (wrong.error_code() == StatusCode::UNIMPLEMENTED) {
      add_header("grpc-accept-encoding", "identity");
    }
    return refuse(wrong.error_code(), wrong.error_message());
  }
  if (!takes_one_message_) {
    if (!is_closed_) begin_call({});
    return;
  }
  const auto message = messages_.front();
  if (!message) return;
  begin_call(*message);
  pop();
}

void H2Stream::begin_call(std::string_view message) {
  phase_ = Phase::running;
  call_ = &port_.worker().call_of(static_cast<std::size_t>(line_));
  call_->arrive(*this, message);
}

void H2Stream::pop() {
  const std::size_t taken = messages_.pop();
  kept_bytes_ -= taken;
  port_.give_back(taken);
  const std::size_t held = std::min(taken, held_bytes_);
  held_bytes_ -= held;
  give_window(held);
}

void H2Stream::settle_messages() {
  if (is_broken_) {
    complete(read_tag_, false);
    return complete(write_tag_, false);
  }
  if (write_tag_ != nullptr && has_room()) complete(write_tag_, true);
  if (read_tag_ == nullptr) return;
  if (const auto message = messages_.front()) {
    const bool is_read = into_->ParseFromArray(message->data(), static_cast<int>(message->size()));
    pop();
    if (!is_read) {
      return break_off(StatusCode::INTERNAL, "a message is not of the method's type");
    }
    return complete(read_tag_, true);
  }
  if (const ::grpc::Status wrong = verdict(); !wrong.ok()) {
    return break_off(wrong.error_code(), wrong.error_message());
  }
  if (has_client_ended_) return complete(read_tag_, false);
  give_window(std::exchange(held_bytes_, 0));  // somebody waits for the rest of it
}

// A call that is over has released the stream, which may be free by then.
void H2Stream::settle_end() {
  if (phase_ != Phase::running) {
    if (phase_ == Phase::free) return;
    if (is_unknown_) port_.worker().unknown_ends(was_sent_, *peer_);
    return release();
  }
  complete(read_tag_, false);
  complete(write_tag_, false);
  complete(finish_tag_, was_delivered());
  if (phase_ == Phase::running && !std::exchange(is_done_, true)) call_->is_done_with_its_wire();
}

void H2Stream::complete(Tag*& tag, bool is_ok) {
  if (tag == nullptr) return;
  port_.worker().queue().end(*std::exchange(tag, nullptr), is_ok);
}

void H2Stream::expire() {
  if (phase_ == Phase::running) return call_->cancel(CancelReason::deadline);
  if (phase_ == Phase::opening) refuse(StatusCode::DEADLINE_EXCEEDED, "the deadline has passed");
}

void H2Stream::read(Message& into, Tag& tag) {
  into_ = &into;
  read_tag_ = &tag;
  post();
}

void H2Stream::refuse_unbegun() {
  if (phase_ != Phase::head && phase_ != Phase::opening) return;
  phase_ = Phase::refused;
  ::nghttp2_submit_rst_stream(connection_->session(), NGHTTP2_FLAG_NONE, id_,
                              NGHTTP2_REFUSED_STREAM);
  port_.wants_to_write(*connection_);
}

// Of one that is closed: what it has goes, but for the memory that the next can use.
void H2Stream::release() noexcept {
  phase_ = Phase::free;
  call_ = nullptr;
  peer_.reset();
  port_.give_back(std::exchange(kept_bytes_, 0));
  messages_.restart(0);
  metadata_.reset();
  decoded_.clear();
  added_headers_.clear();
  trailers_.clear();
  message_.clear();
  if (text_.capacity() > most_kept_text_bytes) text_ = std::string();
  if (output_.capacity() > most_kept_text_bytes) output_ = std::string();
  output_.clear();
  sent_bytes_ = 0;
  port_.free(*this);
}

std::string_view H2Stream::name_of(const Header& header) const noexcept {
  return std::string_view(text_).substr(header.name_begin, header.name_bytes);
}
std::string_view H2Stream::value_of(const Header& header) const noexcept {
  return std::string_view(text_).substr(header.name_begin + header.name_bytes, header.value_bytes);
}

std::string_view H2Stream::find(std::string_view name) const {
  for (const Header& header : headers_) {
    if (name_of(header) == name) return value_of(header);
  }
  return {};
}

const Metadata& H2Stream::metadata() {
  if (metadata_) return *metadata_;
  metadata_.emplace();
  for (const Header& header : headers_) {
    const std::string_view name = name_of(header);
    std::string_view value = value_of(header);
    if (wire::is_binary(name)) {
      auto bytes = wire::bytes_of_base64(value);
      if (!bytes) continue;
      value = decoded_.emplace_back(std::move(*bytes));
    }
    metadata_->emplace(::grpc::string_ref(name.data(), name.size()),
                       ::grpc::string_ref(value.data(), value.size()));
  }
  return *metadata_;
}

}  // namespace weft::grpc
