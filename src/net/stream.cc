// SPDX-License-Identifier: Apache-2.0
// Reading and writing, plain or by TLS.
#include "net/stream.h"

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "net/socket_call.h"

namespace weft::net {
namespace {

// What a system call answers, or minus errno; a signal does not end it.
template <class Call>
long uninterrupted(Call call) noexcept {
  for (;;) {
    const ssize_t result = call();
    if (result >= 0) return result;
    if (errno != EINTR) return -errno;
  }
}

}  // namespace

Stream::Stream(os::Descriptor&& socket, const TlsContext& context)
    : tls_(std::make_unique<TlsConnection>(context, socket.get())) {
  socket_ = std::move(socket);
}

long Stream::result_of(TlsOutcome outcome, std::size_t moved) noexcept {
  waits_to_write_ = outcome == TlsOutcome::wants_write;
  switch (outcome) {
    case TlsOutcome::done:
      return static_cast<long>(moved);
    case TlsOutcome::wants_read:
    case TlsOutcome::wants_write:
      return -EAGAIN;
    case TlsOutcome::closed:
      return 0;
    case TlsOutcome::failed:
      return -ECONNRESET;
  }
  return -ECONNRESET;
}

template <class Call>
long Stream::by_tls(Call call) noexcept {
  std::size_t moved = 0;
  if (!shook_hands_) {
    const TlsOutcome outcome = tls_->handshake();
    if (outcome != TlsOutcome::done) {
      const long result = result_of(outcome, 0);
      return result == 0 ? -ECONNRESET : result;
    }
    shook_hands_ = true;
  }
  const TlsOutcome outcome = call(moved);
  return result_of(outcome, moved);
}

long Stream::read(std::span<char> room) noexcept {
  if (tls_ != nullptr) {
    return by_tls([&](std::size_t& moved) { return tls_->read(room.data(), room.size(), moved); });
  }
  waits_to_write_ = false;
  return receive(socket_.get(), room);
}

long Stream::write(std::string_view bytes) noexcept {
  if (tls_ != nullptr) {
    return by_tls(
        [&](std::size_t& moved) { return tls_->write(bytes.data(), bytes.size(), moved); });
  }
  const long result = send(socket_.get(), bytes);
  waits_to_write_ = result == -EAGAIN;
  return result;
}

long Stream::send_file(int file, std::uint64_t offset, std::size_t bytes) noexcept {
  auto position = static_cast<off_t>(offset);
  if (tls_ != nullptr) {
    std::array<char, std::size_t{16} * 1024> piece;  // as large as a record of TLS
    const long got = uninterrupted(
        [&] { return ::pread(file, piece.data(), std::min(bytes, piece.size()), position); });
    if (got <= 0) return got == 0 ? -EIO : got;  // it has become shorter
    return write({piece.data(), static_cast<std::size_t>(got)});
  }
  const long result =
      uninterrupted([&] { return ::sendfile(socket_.get(), file, &position, bytes); });
  waits_to_write_ = result == -EAGAIN;
  return result == 0 && bytes != 0 ? -EIO : result;
}

void Stream::shut_down() noexcept {
  if (tls_ != nullptr) tls_->shut_down();
  ::shutdown(socket_.get(), SHUT_WR);
}

}  // namespace weft::net
