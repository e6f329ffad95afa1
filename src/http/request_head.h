// SPDX-License-Identifier: Apache-2.0
// RequestHead: what a request line and its fields say, without a copy of their bytes.
//
// Everything is an offset into the bytes that were parsed. They must stay where they are, or
// attach() must say where they have gone. One head takes 1.7 KiB; it can be used again and again,
// and is only needed from a request's first byte to its response.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/known_field.h"
#include "http/method.h"

namespace weft::http {

enum class Version : std::uint8_t { http_1_0, http_1_1 };

// RFC 9112 3.2.
enum class TargetForm : std::uint8_t {
  origin,     // "/path?query"
  absolute,   // "http://host/path?query"
  authority,  // "host:port", of CONNECT alone
  asterisk,   // "*", of OPTIONS alone
};

class RequestHead {
 public:
  static constexpr std::size_t most_fields = 100;

  // Forgets everything; a head that was never used needs none.
  void reset() noexcept;
  // Says that the bytes are now here. Precondition: they are the same bytes.
  void attach(const char* begin) noexcept { begin_ = begin; }

  // The rest is of a complete head.
  Method method() const noexcept { return method_; }
  std::string_view method_text() const noexcept { return view(method_text_); }
  std::string_view target() const noexcept { return view(target_); }
  TargetForm form() const noexcept { return form_; }
  Version version() const noexcept { return version_; }
  // "/path?query" of the origin or the absolute form, else empty. Empty too for "http://host".
  std::string_view path_and_query() const noexcept { return view(path_and_query_); }
  // "host:port" of the target, or else of Host; empty where HTTP/1.0 sends neither.
  std::string_view authority() const noexcept { return view(authority_); }

  std::size_t field_count() const noexcept { return field_count_; }
  std::string_view name(std::size_t index) const noexcept;
  std::string_view value(std::size_t index) const noexcept;
  // The value of the first field of this name.
  std::optional<std::string_view> find(KnownField field) const noexcept;
  std::optional<std::string_view> find(std::string_view name_in_any_case) const noexcept;
  bool has(KnownField field) const noexcept { return first_[index_of(field)] != 0; }
  bool has_more_than_one(KnownField field) const noexcept {
    return (repeated_ >> index_of(field) & 1U) != 0;
  }
  // Calls with the value of each field of this name, in order.
  template <class Call>
  void for_each(KnownField field, Call call) const {
    if (!has(field)) return;
    for (std::size_t i = first_[index_of(field)] - std::size_t{1}; i < field_count_; ++i) {
      if (fields_[i].known == field) call(value(i));
    }
  }

  bool chunked() const noexcept { return chunked_; }
  std::optional<std::uint64_t> content_length() const noexcept;
  bool keep_alive() const noexcept { return keep_alive_; }  // what the client wants
  bool expects_continue() const noexcept { return expects_continue_; }
  std::size_t size() const noexcept { return size_; }  // bytes, up to the body

 private:
  friend class HeadParser;  // fills it; see request_parser.cc

  struct Piece {
    std::uint32_t at = 0;
    std::uint32_t size = 0;
  };
  struct Field {
    std::uint32_t name_at;
    std::uint32_t value_at;
    std::uint32_t value_size;
    std::uint16_t name_size;
    KnownField known;
  };

  static constexpr std::size_t index_of(KnownField field) noexcept {
    return static_cast<std::size_t>(field);
  }
  std::string_view view(Piece piece) const noexcept { return {begin_ + piece.at, piece.size}; }

  const char* begin_ = nullptr;
  std::uint64_t content_length_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t parsed_ = 0;        // whole lines up to here are in the members below
  std::uint32_t fields_begin_ = 0;  // 0: the request line is yet to come
  std::uint32_t repeated_ = 0;      // a bit for each known field that is there more than once
  Piece method_text_, target_, path_and_query_, authority_;
  Method method_ = Method::other;
  TargetForm form_ = TargetForm::origin;
  Version version_ = Version::http_1_1;
  bool chunked_ = false;
  bool has_content_length_ = false;
  bool keep_alive_ = false;
  bool expects_continue_ = false;
  std::uint8_t field_count_ = 0;
  std::array<std::uint8_t, known_field_count> first_{};  // 1 + index of the first; 0: none
  std::array<Field, most_fields> fields_;                // as many as field_count_ says
};
static_assert(sizeof(RequestHead) <= 1792, "a request in flight is to be cheap");

}  // namespace weft::http
