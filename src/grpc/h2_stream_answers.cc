// SPDX-License-Identifier: Apache-2.0
// What a stream sends: headers, messages as there is room, and the status.
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "grpc/h2_connection.h"
#include "grpc/h2_port.h"
#include "grpc/h2_session.h"
#include "grpc/h2_stream.h"
#include "grpc/worker.h"
#include "wire/texts.h"

namespace weft::grpc {
namespace {

using ::grpc::StatusCode;

// write() lets the next message through when no more than this waits to be sent.
constexpr std::size_t most_waiting_bytes = 64 << 10;
// What is kept for the next message of the same stream.
constexpr std::size_t most_spare_bytes = 128 << 10;

// Of what is told of an error: gRPC's clients take 8 KiB of metadata in all, and nghttp2 sends no
// more than 64.
constexpr std::size_t most_message_bytes = 4 << 10;
constexpr std::size_t most_details_bytes = 6 << 10;

constexpr const char* code_texts[] = {"0", "1",  "2",  "3",  "4",  "5",  "6",  "7", "8",
                                      "9", "10", "11", "12", "13", "14", "15", "16"};

std::string_view code_text(StatusCode code) noexcept {
  const auto number = static_cast<std::size_t>(code);
  return code_texts[number < std::size(code_texts) ? number : std::size_t{StatusCode::UNKNOWN}];
}

// Of texts that are constants, or that live until nghttp2 has copied them.
nghttp2_nv header_of(std::string_view name, std::string_view value, bool is_constant) noexcept {
  const auto bytes_of = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  constexpr auto constant = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE;
  return {bytes_of(name), bytes_of(value), name.size(), value.size(),
          static_cast<std::uint8_t>(is_constant ? constant : NGHTTP2_NV_FLAG_NONE)};
}

// A few without an allocation.
class HeaderList {
 public:
  void add(std::string_view name, std::string_view value, bool is_constant = false) {
    if (count_ < few_.size()) {
      few_[count_] = header_of(name, value, is_constant);
    } else {
      if (many_.empty()) many_.assign(few_.begin(), few_.end());
      many_.push_back(header_of(name, value, is_constant));
    }
    ++count_;
  }
  void add_all(const std::vector<std::pair<std::string, std::string>>& fields) {
    for (const auto& [name, value] : fields) add(name, value);
  }
  const nghttp2_nv* data() const noexcept { return many_.empty() ? few_.data() : many_.data(); }
  std::size_t size() const noexcept { return count_; }

 private:
  std::array<nghttp2_nv, 8> few_{};
  std::vector<nghttp2_nv> many_;
  std::size_t count_ = 0;
};

std::pair<std::string, std::string> checked(const std::string& name, const std::string& value) {
  const bool is_bytes = wire::is_binary(name);
  if (!wire::is_name_of_metadata(name) || !(is_bytes || wire::is_value_of_metadata(value))) {
    throw std::invalid_argument("weft::grpc: '" + wire::percent_encoded(name) +
                                "' cannot be sent: names are of a-z 0-9 _ - . and not the "
                                "protocol's own, values printable ASCII where the name does not "
                                "end in -bin");
  }
  return {name, is_bytes ? wire::base64_of(value) : value};
}

}  // namespace

void H2Stream::add_header(const std::string& name, const std::string& value) {
  added_headers_.push_back(checked(name, value));
}
void H2Stream::add_trailer(const std::string& name, const std::string& value) {
  trailers_.push_back(checked(name, value));
}

bool H2Stream::has_room() const noexcept {
  const std::size_t unsent = unsent_bytes();
  return unsent == 0 || (unsent <= most_waiting_bytes && !connection_->has_much_queued());
}

void H2Stream::append(const Message& message, std::size_t bytes) {
  if (unsent_bytes() == 0) {
    output_.clear();
    sent_bytes_ = 0;
  } else if (sent_bytes_ >= output_.size() / 2) {
    output_.erase(0, std::exchange(sent_bytes_, 0));
  }
  const std::size_t begin = output_.size();
  output_.resize(begin + wire::prefix_bytes + bytes);
  wire::write_prefix(output_.data() + begin, static_cast<std::uint32_t>(bytes));
  message.SerializeWithCachedSizesToArray(
      reinterpret_cast<std::uint8_t*>(output_.data() + begin + wire::prefix_bytes));
  connection_->add_queued(static_cast<std::ptrdiff_t>(wire::prefix_bytes + bytes));
}

void H2Stream::drop_unsent() noexcept {
  connection_->add_queued(-static_cast<std::ptrdiff_t>(unsent_bytes()));
  output_.clear();
  sent_bytes_ = 0;
}

void H2Stream::send_what_there_is() {
  nghttp2_session* const session = connection_->session();
  if (!std::exchange(has_head_, true)) {
    HeaderList headers;
    headers.add(":status", "200", true);
    headers.add("content-type", "application/grpc", true);
    headers.add_all(added_headers_);
    nghttp2_data_provider provider{};
    provider.source.ptr = this;
    provider.read_callback = &read_piece;
    ::nghttp2_submit_response(session, id_, headers.data(), headers.size(), &provider);
  } else if (std::exchange(is_waiting_, false)) {
    ::nghttp2_session_resume_data(session, id_);
  }
  port_.wants_to_write(*connection_);
}

std::optional<H2Stream::Piece> H2Stream::next_piece(std::size_t most) noexcept {
  const std::size_t unsent = unsent_bytes();
  if ((unsent == 0 && !is_answered_) || has_trailers_) {
    is_waiting_ = true;
    return std::nullopt;
  }
  const std::size_t bytes = std::min(unsent, most);
  return Piece{bytes, is_answered_ && bytes == unsent};
}

// Stays until the next append().
std::string_view H2Stream::take_piece(std::size_t bytes) noexcept {
  const std::string_view piece = std::string_view(output_).substr(sent_bytes_, bytes);
  sent_bytes_ += bytes;
  connection_->add_queued(-static_cast<std::ptrdiff_t>(bytes));
  if (write_tag_ != nullptr && has_room()) post();
  return piece;
}

void H2Stream::submit_trailers() {
  has_trailers_ = true;
  HeaderList trailers;
  trailers.add("grpc-status", code_text(code_), true);
  if (!message_.empty()) trailers.add("grpc-message", message_);
  trailers.add_all(trailers_);
  ::nghttp2_submit_trailer(connection_->session(), id_, trailers.data(), trailers.size());
}

void H2Stream::answer(const ::grpc::Status& status) {
  is_answered_ = true;
  code_ = status.error_code();
  message_ = wire::percent_encoded(status.error_message(), most_message_bytes);
  // Half of them would be none.
  const std::string details = status.error_details();
  if (!details.empty() && details.size() <= most_details_bytes) {
    trailers_.emplace_back("grpc-status-details-bin", wire::base64_of(details));
  }
  port_.poller().cancel(*this);
  has_head_ || unsent_bytes() != 0 ? send_what_there_is() : answer_with_trailers_only();
}

// It does not wait for a client that does not read what was written: trailers need no window.
void H2Stream::answer_at_once(const ::grpc::Status& status) {
  drop_unsent();
  answer(status);
  if (!has_trailers_ && !is_trailers_only_) submit_trailers();
}

void H2Stream::answer_with_trailers_only() {
  has_head_ = is_trailers_only_ = true;
  HeaderList headers;
  headers.add(":status", "200", true);
  headers.add("content-type", "application/grpc", true);
  headers.add("grpc-status", code_text(code_), true);
  if (!message_.empty()) headers.add("grpc-message", message_);
  headers.add_all(added_headers_);
  headers.add_all(trailers_);
  ::nghttp2_submit_response(connection_->session(), id_, headers.data(), headers.size(), nullptr);
  port_.wants_to_write(*connection_);
}

void H2Stream::answer_http(const char* status) {
  phase_ = Phase::refused;
  if (is_gone()) return;
  is_answered_ = has_head_ = true;
  HeaderList headers;
  headers.add(":status", status);
  ::nghttp2_submit_response(connection_->session(), id_, headers.data(), headers.size(), nullptr);
  port_.wants_to_write(*connection_);
}

void H2Stream::refuse(StatusCode code, std::string message) {
  phase_ = Phase::refused;
  if (!is_gone()) answer({code, std::move(message)});
}

void H2Stream::break_off(StatusCode code, std::string message) {
  if (is_gone() || is_answered_) return;
  is_broken_ = true;
  answer({code, std::move(message)});
  post();
}

void H2Stream::write(const Message& message, Tag& tag) {
  write_tag_ = &tag;
  if (is_gone() || is_answered_) return post();
  const std::size_t bytes = message.ByteSizeLong();
  if (bytes > static_cast<std::size_t>(port_.worker().site().options.most_sent_bytes)) {
    return break_off(StatusCode::RESOURCE_EXHAUSTED, "the answer is longer than it may be");
  }
  append(message, bytes);
  send_what_there_is();
  if (has_room()) post();
}

void H2Stream::finish(const Message* message, const ::grpc::Status& status, Tag& tag) {
  finish_tag_ = &tag;
  if (is_broken_) return post();
  code_ = status.error_code();
  if (is_gone()) return post();
  if (call_->was_cancelled()) return answer_at_once(status);
  if (message == nullptr) return answer(status);
  const std::size_t bytes = message->ByteSizeLong();
  if (bytes > static_cast<std::size_t>(port_.worker().site().options.most_sent_bytes)) {
    return answer({StatusCode::RESOURCE_EXHAUSTED, "the answer is longer than it may be"});
  }
  append(*message, bytes);
  answer(status);
}

void H2Stream::on_answer_sent() {
  was_sent_ = true;
  if (output_.capacity() > most_spare_bytes) output_ = std::string();
  sent_bytes_ = output_.size();
  if (has_client_ended_) return;
  // It need not send the rest.
  ::nghttp2_submit_rst_stream(connection_->session(), NGHTTP2_FLAG_NONE, id_, NGHTTP2_NO_ERROR);
}

}  // namespace weft::grpc
