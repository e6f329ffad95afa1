// SPDX-License-Identifier: Apache-2.0
// A client that says what a test wants it to, byte by byte, and tells frames apart.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/file.h"

namespace weft::grpc {

struct RawFrame {
  std::uint8_t type;
  std::uint8_t flags;
  std::uint32_t stream;
  std::string payload;
};

inline std::string number_bytes(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(number >> (8 * i) & 0xffU);
  return text;
}

inline std::string raw_frame(int type, int flags, std::uint32_t stream, std::string_view payload) {
  std::string bytes = number_bytes(payload.size(), 3);
  bytes += static_cast<char>(type);
  bytes += static_cast<char>(flags);
  return (bytes + number_bytes(stream, 4)).append(payload);
}

using RawFields = std::vector<std::pair<std::string, std::string>>;

// Without an index, and without Huffman's code.
inline std::string header_block(const RawFields& fields) {
  const auto length = [](std::size_t size) {
    std::string bytes;
    if (size < 127) return bytes += static_cast<char>(size);
    bytes += '\x7f';
    for (size -= 127; size >= 128; size >>= 7) bytes += static_cast<char>(size % 128 + 128);
    return bytes += static_cast<char>(size);
  };
  std::string block;
  for (const auto& [name, value] : fields) {
    block += '\0';
    block += length(name.size()) + name + length(value.size()) + value;
  }
  return block;
}

inline RawFields request_fields(const std::string& path = "/weft.grpc_test.Echo/Say") {
  return {{":method", "POST"},    {":scheme", "http"}, {":path", path},
          {":authority", "test"}, {"te", "trailers"},  {"content-type", "application/grpc"}};
}

inline std::string raw_message(std::string_view message, char flag = 0) {
  return (std::string(1, flag) + number_bytes(message.size(), 4)).append(message);
}

inline const std::string raw_preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

class RawClient {
 public:
  static constexpr int end_stream = NGHTTP2_FLAG_END_STREAM;
  static constexpr int end_headers = NGHTTP2_FLAG_END_HEADERS;

  // The kernel keeps so much for it; 0: as much as it likes.
  explicit RawClient(int port, int receive_bytes = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_bytes != 0) {
      ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ =
        ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    nghttp2_hd_inflater* inflater = nullptr;
    ::nghttp2_hd_inflate_new(&inflater);
    inflater_.reset(inflater);
  }

  bool is_connected() const noexcept { return is_connected_; }
  // False: the server has gone.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void hello(std::string_view settings = "") {
    send(raw_preface + raw_frame(NGHTTP2_SETTINGS, 0, 0, settings));
    if (next_of(NGHTTP2_SETTINGS)) send(raw_frame(NGHTTP2_SETTINGS, NGHTTP2_FLAG_ACK, 0, ""));
  }
  void send_head(std::uint32_t stream, const RawFields& fields, int flags = 0) {
    send(raw_frame(NGHTTP2_HEADERS, end_headers | flags, stream, header_block(fields)));
  }
  void send_data(std::uint32_t stream, std::string_view bytes, int flags = end_stream) {
    send(raw_frame(NGHTTP2_DATA, flags, stream, bytes));
  }
  void close() { socket_.reset(); }

  // None: the connection has ended, or nothing came for so long.
  std::optional<RawFrame> next(std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    constexpr std::size_t head_bytes = 9;
    for (;;) {
      if (received_.size() >= head_bytes) {
        const std::size_t size = number_at(0, 3);
        if (received_.size() >= head_bytes + size) {
          RawFrame frame{
              static_cast<std::uint8_t>(received_[3]), static_cast<std::uint8_t>(received_[4]),
              static_cast<std::uint32_t>(number_at(5, 4)), received_.substr(head_bytes, size)};
          received_.erase(0, head_bytes + size);
          return frame;
        }
      }
      pollfd waits{socket_.get(), POLLIN, 0};
      if (::poll(&waits, 1, static_cast<int>(patience.count())) <= 0) return std::nullopt;
      char buffer[65536];
      const auto bytes = ::recv(socket_.get(), buffer, sizeof(buffer), 0);
      if (bytes <= 0) {
        has_ended_ = true;
        return std::nullopt;
      }
      received_.append(buffer, static_cast<std::size_t>(bytes));
    }
  }
  bool has_ended() const noexcept { return has_ended_; }
  // Of a certain type; others are passed over.
  std::optional<RawFrame> next_of(int type,
                                  std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    while (auto frame = next(patience)) {
      if (frame->type == NGHTTP2_HEADERS && type != NGHTTP2_HEADERS) fields_of(*frame);
      if (frame->type == type) return frame;
    }
    return std::nullopt;
  }
  std::map<std::string, std::string> fields_of(const RawFrame& frame) {
    std::map<std::string, std::string> fields;
    const auto* in = reinterpret_cast<const std::uint8_t*>(frame.payload.data());
    std::size_t left = frame.payload.size();
    for (;;) {
      nghttp2_nv field{};
      int flags = 0;
      const auto used = ::nghttp2_hd_inflate_hd2(inflater_.get(), &field, &flags, in, left, 1);
      if (used < 0) return fields;
      in += used;
      left -= static_cast<std::size_t>(used);
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
        fields[std::string(reinterpret_cast<char*>(field.name), field.namelen)] =
            std::string(reinterpret_cast<char*>(field.value), field.valuelen);
      }
      if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
    }
    ::nghttp2_hd_inflate_end_headers(inflater_.get());
    return fields;
  }
  // All headers and trailers of a stream, and its data.
  struct Answer {
    std::map<std::string, std::string> fields;
    std::string data;
    int header_frames = 0;
    bool is_whole = false;
  };
  Answer answer(std::uint32_t stream) {
    Answer all;
    while (auto frame = next()) {
      if (frame->stream != stream) {
        if (frame->type == NGHTTP2_HEADERS) fields_of(*frame);
        continue;
      }
      if (frame->type == NGHTTP2_DATA) all.data += frame->payload;
      if (frame->type == NGHTTP2_RST_STREAM) return all;
      if (frame->type != NGHTTP2_HEADERS) continue;
      ++all.header_frames;
      all.fields.merge(fields_of(*frame));
      all.is_whole = (frame->flags & NGHTTP2_FLAG_END_STREAM) != 0;
      if (all.is_whole) return all;
    }
    return all;
  }

 private:
  struct DeleteInflater {
    void operator()(nghttp2_hd_inflater* inflater) const noexcept {
      ::nghttp2_hd_inflate_del(inflater);
    }
  };
  std::uint64_t number_at(std::size_t begin, std::size_t size) const {
    std::uint64_t number = 0;
    for (std::size_t i = begin; i < begin + size; ++i) {
      number = number << 8 | static_cast<unsigned char>(received_[i]);
    }
    return number;
  }

  os::Descriptor socket_;
  bool is_connected_ = false;
  bool has_ended_ = false;
  std::string received_;
  std::unique_ptr<nghttp2_hd_inflater, DeleteInflater> inflater_;
};

}  // namespace weft::grpc
