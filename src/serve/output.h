// SPDX-License-Identifier: Apache-2.0
// What an exchange has to say goes out on a stream.
#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "net/stream.h"
#include "serve/exchange.h"

namespace weft::serve {

// 0: all is out. -EAGAIN: the peer must read first. -EINPROGRESS: it reads as fast as we write, and
// others are to have a turn. Otherwise minus errno: it is gone.
inline long send_output(net::Stream& stream, Exchange& exchange) noexcept {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
  const std::uint64_t before = exchange.sent_bytes();
  while (exchange.has_output()) {
    const FilePiece& piece = exchange.file();
    const bool is_text = !exchange.text().empty();
    const long sent = is_text ? stream.write(exchange.text())
                              : stream.send_file(piece.file->get(), piece.offset,
                                                 std::min(piece.bytes, most_bytes));
    if (sent <= 0) return sent == 0 ? -EPIPE : sent;
    is_text ? exchange.text_sent(static_cast<std::size_t>(sent))
            : exchange.file_sent(static_cast<std::size_t>(sent));
    if (exchange.sent_bytes() - before >= most_bytes && exchange.has_output()) return -EINPROGRESS;
  }
  return 0;
}

// Not even the end.
inline bool has_nothing_to_read(int socket) noexcept {
  char byte = 0;
  return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0;
}
// Nothing but, perhaps, the end.
inline bool has_no_more_to_read(int socket) noexcept {
  char byte = 0;
  return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

// Before the socket is closed, whatever the reason: what is not whole does not look as if it were.
inline void end_honestly(const net::Stream& stream, const Exchange& exchange) noexcept {
  if (!exchange.must_reset()) return;
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(stream.socket(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

}  // namespace weft::serve
