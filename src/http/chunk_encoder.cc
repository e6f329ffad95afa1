// SPDX-License-Identifier: Apache-2.0
// What goes around the chunks of a response.
#include "http/chunk_encoder.h"

#include <charconv>

#include "os/check.h"

namespace weft::http {

ChunkHead::ChunkHead(std::uint64_t size) noexcept {
  os::check(size > 0, "a chunk of nothing would end the body");
  char* at = std::to_chars(bytes_.data(), bytes_.data() + bytes_.size() - 2, size, 16).ptr;
  *at++ = '\r';
  *at++ = '\n';
  size_ = static_cast<std::size_t>(at - bytes_.data());
}

}  // namespace weft::http
