// SPDX-License-Identifier: Apache-2.0
// From nghttp2 to connections and streams.
#include "grpc/h2_session.h"

#include <exception>
#include <new>

#include "grpc/h2_connection.h"
#include "grpc/h2_port.h"
#include "grpc/h2_stream.h"

namespace weft::grpc {
namespace {

constexpr std::size_t most_unread_acknowledgements = 1000;

H2Connection& connection_of(void* user) noexcept {
  return *static_cast<H2Connection*>(user);
}

H2Stream* stream_of(nghttp2_session* session, std::int32_t id) noexcept {
  return static_cast<H2Stream*>(::nghttp2_session_get_stream_user_data(session, id));
}

std::string_view text_at(const std::uint8_t* bytes, std::size_t size) noexcept {
  return {reinterpret_cast<const char*>(bytes), size};
}

bool is_request(const nghttp2_frame& frame) noexcept {
  return frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST;
}

template <class Function>
int guarded(Function function) noexcept {
  try {
    function();
    return 0;
  } catch (const std::exception&) {
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }
}

int on_begin_headers(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
  if (!is_request(*frame)) return 0;
  return guarded([&] {
    H2Stream& stream = connection_of(user).make_stream(frame->hd.stream_id);
    ::nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, &stream);
  });
}

int on_header(nghttp2_session* session, const nghttp2_frame* frame, const std::uint8_t* name,
              std::size_t name_bytes, const std::uint8_t* value, std::size_t value_bytes,
              std::uint8_t, void*) {
  H2Stream* const stream = is_request(*frame) ? stream_of(session, frame->hd.stream_id) : nullptr;
  if (stream == nullptr) return 0;
  return guarded(
      [&] { stream->on_header(text_at(name, name_bytes), text_at(value, value_bytes)); });
}

int on_data_chunk(nghttp2_session* session, std::uint8_t, std::int32_t id,
                  const std::uint8_t* bytes, std::size_t size, void*) {
  // What one stream holds keeps no other from receiving.
  ::nghttp2_session_consume_connection(session, size);
  H2Stream* const stream = stream_of(session, id);
  if (stream == nullptr) return 0;
  return guarded([&] { stream->on_data(text_at(bytes, size)); });
}

int on_frame_received(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
  switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
    case NGHTTP2_DATA: {
      H2Stream* const stream = stream_of(session, frame->hd.stream_id);
      if (stream == nullptr) return 0;
      return guarded([&] {
        if (is_request(*frame)) stream->on_head();
        if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) stream->on_client_end();
      });
    }
    case NGHTTP2_SETTINGS:
      if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) connection_of(user).on_settings();
      return 0;
    case NGHTTP2_PING:
      if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
        connection_of(user).on_ping();
      } else {
        connection_of(user).on_ping_answered(
            text_at(frame->ping.opaque_data, sizeof(frame->ping.opaque_data)));
      }
      return 0;
    default:
      return 0;
  }
}

int on_frame_sent(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
  if (frame->hd.type == NGHTTP2_GOAWAY) connection_of(user).on_goaway_sent();
  if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
  connection_of(user).on_sent_for_a_stream();
  if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
  if (H2Stream* const stream = stream_of(session, frame->hd.stream_id)) stream->on_answer_sent();
  return 0;
}

// Headers that are too long for nghttp2: without them the client would wait for ever.
int on_frame_not_sent(nghttp2_session* session, const nghttp2_frame* frame, int, void*) {
  if (frame->hd.type != NGHTTP2_HEADERS || stream_of(session, frame->hd.stream_id) == nullptr) {
    return 0;
  }
  return ::nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                                     NGHTTP2_INTERNAL_ERROR);
}

int on_stream_closed(nghttp2_session* session, std::int32_t id, std::uint32_t error, void* user) {
  H2Stream* const stream = stream_of(session, id);
  if (stream == nullptr) return 0;
  ::nghttp2_session_set_stream_user_data(session, id, nullptr);
  if (error != NGHTTP2_NO_ERROR && !stream->is_answered()) connection_of(user).on_reset();
  stream->on_closed();
  return 0;
}

int send_piece(nghttp2_session*, nghttp2_frame*, const std::uint8_t* head, std::size_t bytes,
               nghttp2_data_source* source, void* user) {
  constexpr std::size_t head_bytes = 9;
  std::string& output = connection_of(user).output();
  const int failure = guarded([&] {
    output.append(text_at(head, head_bytes));
    output.append(static_cast<H2Stream*>(source->ptr)->take_piece(bytes));
  });
  if (failure != 0) return failure;
  return output.size() < most_output_bytes ? 0 : static_cast<int>(NGHTTP2_ERR_PAUSE);
}

struct Ways {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* options = nullptr;
};

// The same for all, for ever.
const Ways& ways() {
  static const Ways once = [] {
    Ways made;
    if (::nghttp2_session_callbacks_new(&made.callbacks) != 0 ||
        ::nghttp2_option_new(&made.options) != 0) {
      throw std::bad_alloc();
    }
    auto* const calls = made.callbacks;
    ::nghttp2_session_callbacks_set_on_begin_headers_callback(calls, &on_begin_headers);
    ::nghttp2_session_callbacks_set_on_header_callback(calls, &on_header);
    ::nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, &on_data_chunk);
    ::nghttp2_session_callbacks_set_on_frame_recv_callback(calls, &on_frame_received);
    ::nghttp2_session_callbacks_set_on_frame_send_callback(calls, &on_frame_sent);
    ::nghttp2_session_callbacks_set_on_frame_not_send_callback(calls, &on_frame_not_sent);
    ::nghttp2_session_callbacks_set_on_stream_close_callback(calls, &on_stream_closed);
    ::nghttp2_session_callbacks_set_send_data_callback(calls, &send_piece);
    ::nghttp2_option_set_no_auto_window_update(made.options, 1);
    ::nghttp2_option_set_no_closed_streams(made.options, 1);
    ::nghttp2_option_set_max_outbound_ack(made.options, most_unread_acknowledgements);
    ::nghttp2_option_set_stream_reset_rate_limit(made.options, most_resets_at_once,
                                                 resets_per_second);
    return made;
  }();
  return once;
}

}  // namespace

nghttp2_session* make_session(H2Connection& connection) {
  nghttp2_session* session = nullptr;
  if (::nghttp2_session_server_new2(&session, ways().callbacks, &connection, ways().options) != 0) {
    throw std::bad_alloc();
  }
  return session;
}

ssize_t read_piece(nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t most,
                   std::uint32_t* flags, nghttp2_data_source* source, void*) {
  H2Stream& stream = *static_cast<H2Stream*>(source->ptr);
  const auto piece = stream.next_piece(most);
  if (!piece) return NGHTTP2_ERR_DEFERRED;
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (!piece->is_last) return static_cast<ssize_t>(piece->bytes);
  *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
  const int failure = guarded([&] { stream.submit_trailers(); });
  return failure != 0 ? failure : static_cast<ssize_t>(piece->bytes);
}

}  // namespace weft::grpc
