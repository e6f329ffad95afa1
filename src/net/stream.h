// SPDX-License-Identifier: Apache-2.0
// Stream: an accepted connection, plain or by TLS, whose calls do not block.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "net/tls.h"
#include "os/file.h"

namespace weft::net {

class Stream {
 public:
  // Takes a socket that does not block.
  explicit Stream(os::Descriptor socket) noexcept : socket_(std::move(socket)) {}
  // Throws where there is no memory, and then has not taken it.
  Stream(os::Descriptor&& socket, const TlsContext& context);

  // Both answer how much was moved, or minus errno: -EAGAIN where it has to wait, for what
  // waits_to_write() says. A read of 0 is the end; by TLS one that was announced. Who reads by TLS
  // reads until -EAGAIN: there may be more, although the socket does not say so.
  long read(std::span<char> room) noexcept;
  long write(std::string_view bytes) noexcept;
  // From a file, by the kernel itself where it can.
  long send_file(int file, std::uint64_t offset, std::size_t bytes) noexcept;

  // The last call has to wait until the socket takes something, whichever it was.
  bool waits_to_write() const noexcept { return waits_to_write_; }
  bool is_shaking_hands() const noexcept { return tls_ != nullptr && !shook_hands_; }
  bool is_encrypted() const noexcept { return tls_ != nullptr; }
  int socket() const noexcept { return socket_.get(); }
  // Gives the socket up, which is not closed then.
  int release() noexcept { return socket_.release(); }

  // Says that no more will be written.
  void shut_down() noexcept;

 private:
  long result_of(TlsOutcome outcome, std::size_t moved) noexcept;
  template <class Call>
  long by_tls(Call call) noexcept;

  os::Descriptor socket_;
  std::unique_ptr<TlsConnection> tls_;
  bool shook_hands_ = false;
  bool waits_to_write_ = false;
};

}  // namespace weft::net
