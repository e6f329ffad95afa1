// SPDX-License-Identifier: Apache-2.0
// What an exchange has to say goes out on a stream.
#pragma once

#include "net/stream.h"
#include "serve/exchange.h"

namespace weft::serve {

// 0: all is out. -EAGAIN: the peer must read first. Otherwise minus errno: it is gone.
inline long send_output(net::Stream& stream, Exchange& exchange) noexcept {
  while (!exchange.text().empty()) {
    const long sent = stream.write(exchange.text());
    if (sent < 0) return sent;
    exchange.text_sent(static_cast<std::size_t>(sent));
  }
  while (exchange.file().bytes != 0) {
    const FilePiece& piece = exchange.file();
    const long sent = stream.send_file(piece.file->get(), piece.offset, piece.bytes);
    if (sent < 0) return sent;
    exchange.file_sent(static_cast<std::size_t>(sent));
  }
  return 0;
}

}  // namespace weft::serve
