// SPDX-License-Identifier: Apache-2.0
// Takes a chunked body apart.
#include "http/chunk_decoder.h"

#include <algorithm>

#include "http/characters.h"
#include "http/chunk_extension.h"
#include "http/field_line.h"
#include "http/known_field.h"

namespace weft::http {
namespace {

using Kind = BodyStep::Kind;

constexpr std::size_t most_digits = 16;

// Fields that say how a message is framed, routed or read come too late in a trailer (RFC 9110
// 6.5.1), and whoever sends one means somebody else.
bool may_be_trailer(KnownField field) {
  switch (field) {
    case KnownField::authorization:
    case KnownField::connection:
    case KnownField::content_encoding:
    case KnownField::content_length:
    case KnownField::content_range:
    case KnownField::content_type:
    case KnownField::cookie:
    case KnownField::expect:
    case KnownField::host:
    case KnownField::te:
    case KnownField::trailer:
    case KnownField::transfer_encoding:
    case KnownField::upgrade:
      return false;
    default:
      return true;
  }
}

}  // namespace

BodyStep ChunkDecoder::next(std::string_view input, const ChunkLimits& limits) noexcept {
  std::size_t consumed = 0;
  for (;;) {
    BodyStep step = read(input.substr(consumed), limits);
    const bool is_line = step.kind == Kind::need_more && step.consumed > 0;
    consumed += step.consumed;
    step.consumed = consumed;
    if (!is_line) return step;
  }
}

BodyStep ChunkDecoder::read(std::string_view input, const ChunkLimits& limits) noexcept {
  switch (state_) {
    case State::size:
      return read_size(input, limits);
    case State::data:
      return read_data(input);
    case State::data_end:
      return read_data_end(input);
    case State::trailer:
      return read_trailer(input, limits);
    case State::done:
      return {Kind::end, 0, {}, {}};
    case State::failed:
      break;
  }
  return fail(400, "the body went wrong before");
}

BodyStep ChunkDecoder::fail(std::uint16_t status, std::string_view reason) noexcept {
  state_ = State::failed;
  return {Kind::failed, 0, {}, {status, reason}};
}

BodyStep ChunkDecoder::read_size(std::string_view input, const ChunkLimits& limits) noexcept {
  const bool is_cut = input.size() > limits.line_bytes;
  const std::string_view line = input.substr(0, limits.line_bytes);
  const auto more = [&] { return is_cut ? fail(400, "a chunk line is too long") : BodyStep{}; };

  std::size_t at = 0;
  std::uint64_t size = 0;
  while (at < line.size() && is_of(line[at], hex_class)) {
    if (at == most_digits) return fail(400, "a chunk size is too long");
    size = size << 4U | hex_value(line[at]);
    ++at;
  }
  if (at == line.size()) return more();
  if (at == 0) return fail(400, "no chunk size");
  const std::size_t extensions_begin = at;
  const Progress progress = pass_chunk_extensions(line, at);
  if (progress == Progress::need_more) return more();
  if (progress == Progress::failed) return fail(400, "an invalid chunk extension");
  if (line[at] != '\r') return fail(400, "something behind a chunk size");
  if (at + 1 == line.size()) return more();
  if (line[at + 1] != '\n') return fail(400, "CR without LF");

  extension_bytes_ += static_cast<std::uint32_t>(at - extensions_begin);
  if (extension_bytes_ > limits.extension_bytes) return fail(400, "too many chunk extensions");
  if (size > INT64_MAX) return fail(400, "a chunk size is too large");
  if (size > most_body_bytes_ || body_bytes_ > most_body_bytes_ - size) {
    return fail(413, "the body is too large");
  }
  body_bytes_ += size;
  left_ = size;
  state_ = size == 0 ? State::trailer : State::data;
  return {Kind::need_more, at + 2, {}, {}};
}

BodyStep ChunkDecoder::read_data(std::string_view input) noexcept {
  if (input.empty()) return {};
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size()));
  left_ -= size;
  if (left_ == 0) state_ = State::data_end;
  return {Kind::data, size, input.substr(0, size), {}};
}

BodyStep ChunkDecoder::read_data_end(std::string_view input) noexcept {
  if (input.empty()) return {};
  if (input[0] != '\r') return fail(400, "a chunk is longer than its size");
  if (input.size() == 1) return {};
  if (input[1] != '\n') return fail(400, "CR without LF");
  state_ = State::size;
  return {Kind::need_more, 2, {}, {}};
}

BodyStep ChunkDecoder::read_trailer(std::string_view input, const ChunkLimits& limits) noexcept {
  const std::size_t most = limits.trailer_bytes - trailer_bytes_;
  FieldLine line;
  Refusal refusal;
  const Progress progress = read_field_line(input.substr(0, most), line, refusal);
  if (progress == Progress::failed) return fail(refusal.status, refusal.reason);
  if (progress == Progress::need_more) {
    return input.size() > most ? fail(431, "the trailers take too many bytes") : BodyStep{};
  }
  if (line.name.empty()) {
    state_ = State::done;
    return {Kind::end, line.size, {}, {}};
  }
  if (!may_be_trailer(known_field(line.name))) return fail(400, "a field that no trailer may be");
  if (++trailer_count_ > limits.trailer_count) return fail(431, "too many trailers");
  trailer_bytes_ += static_cast<std::uint32_t>(line.size);
  return {Kind::need_more, line.size, {}, {}};
}

}  // namespace weft::http
