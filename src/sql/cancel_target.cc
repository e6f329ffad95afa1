// SPDX-License-Identifier: Apache-2.0
// A second hold on a driver's socket.
#include "sql/cancel_target.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

namespace weft::sql {

CancelTarget::CancelTarget(int socket) : socket_(::fcntl(socket, F_DUPFD_CLOEXEC, 0)) {}

void CancelTarget::shut_down() noexcept {
  if (socket_.valid()) ::shutdown(socket_.get(), SHUT_RDWR);
}

bool CancelTarget::has_hung_up() const noexcept {
  pollfd look{.fd = socket_.get(), .events = POLLIN | POLLRDHUP, .revents = 0};
  return !socket_.valid() || ::poll(&look, 1, 0) != 0;
}

}  // namespace weft::sql
