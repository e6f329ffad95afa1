// SPDX-License-Identifier: Apache-2.0
// What nghttp2 calls: it says what it has read and written, and asks for what a stream sends.
//
// Its functions are C: nothing is thrown through them. Where there is no memory the connection
// ends.
#pragma once

#include <nghttp2/nghttp2.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace weft::grpc {

class H2Connection;

// So many streams may be given up before they are answered, all at once and then in each second:
// more than a client with a reason does, and too few to keep a server busy.
inline constexpr std::uint32_t most_resets_at_once = 4096;
inline constexpr std::uint32_t resets_per_second = 256;

// Bytes that are gathered before they are sent.
inline constexpr std::size_t most_output_bytes = 256 << 10;

// Throws std::bad_alloc.
nghttp2_session* make_session(H2Connection& connection);

// Of a stream's answer: nghttp2_data_source_read_callback.
ssize_t read_piece(nghttp2_session* session, std::int32_t stream, std::uint8_t* buffer,
                   std::size_t most, std::uint32_t* flags, nghttp2_data_source* source,
                   void* connection);

}  // namespace weft::grpc
