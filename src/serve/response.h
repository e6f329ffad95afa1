// SPDX-License-Identifier: Apache-2.0
// Request and Response: what a handler is asked, and what it says.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/request_head.h"
#include "os/file.h"
#include "serve/body_stream.h"

namespace weft::serve {

struct Request {
  const http::RequestHead& head;
  std::string_view body;  // all of it, or nothing, where the site has it streamed
  std::string_view peer;  // its address, without the port
  std::chrono::steady_clock::time_point asked{};  // when all of it was there; 0: not known
};

// A piece of a file that goes out behind the head.
struct FilePiece {
  std::shared_ptr<const os::Descriptor> file;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

class Response {
 public:
  // Throws std::invalid_argument for what is none, from 200 to 599.
  void set_status(unsigned status);
  // Throws std::invalid_argument for what would break out of its line, and for what is not the
  // handlers' to say: Content-Length, Transfer-Encoding, Connection and Date.
  void add_field(std::string_view name, std::string_view value);
  void set_type(std::string_view type) { add_field("Content-Type", type); }

  void set_body(std::string text) noexcept {
    text_ = std::move(text);
    body_ = text_;
  }
  // A text that lives as long as the server, or as `owner`.
  void set_constant_body(std::string_view text, std::shared_ptr<const void> owner = {}) noexcept {
    body_ = text;
    owner_ = std::move(owner);
  }
  void set_file(FilePiece piece) noexcept { file_ = std::move(piece); }
  // Instead of a body: piece by piece, as the peer takes them.
  void stream(std::shared_ptr<BodySource> source) noexcept { source_ = std::move(source); }
  // Instead of all of this: the request's body goes there, and the sink answers.
  void read_body(std::shared_ptr<BodySink> sink) noexcept { sink_ = std::move(sink); }

  // As a new one; memory is kept, but for what was long.
  void reset() noexcept;

  unsigned status() const noexcept { return status_; }
  std::string_view body() const noexcept { return body_; }
  const FilePiece& file() const noexcept { return file_; }
  const std::shared_ptr<BodySource>& source() const noexcept { return source_; }
  const std::shared_ptr<BodySink>& sink() const noexcept { return sink_; }
  std::uint64_t body_bytes() const noexcept {
    return file_.file != nullptr ? file_.bytes : body_.size();
  }
  std::size_t field_bytes() const noexcept { return fields_.size(); }
  template <class Call>
  void for_each_field(Call call) const {
    for (std::string_view rest = fields_; !rest.empty();) {
      const std::string_view name = take(rest);
      call(name, take(rest));
    }
  }

  Response() = default;
  Response(const Response&) = delete;
  Response& operator=(const Response&) = delete;

 private:
  static std::string_view take(std::string_view& rest) noexcept {
    const std::string_view piece = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(piece.size() + 1);
    return piece;
  }

  unsigned status_ = 200;
  std::string fields_;  // name and value in turn, each with a zero behind it
  std::string text_;
  std::string_view body_;
  std::shared_ptr<const void> owner_;
  FilePiece file_;
  std::shared_ptr<BodySource> source_;
  std::shared_ptr<BodySink> sink_;
};

// Says what the status means, and nothing else.
void set_error(Response& response, unsigned status, std::string_view constant_reason);
// The same for 503, and when to come again.
void set_overloaded(Response& response, std::string_view constant_reason,
                    std::chrono::seconds retry_after);

}  // namespace weft::serve
