// SPDX-License-Identifier: Apache-2.0
// An eventfd beside the socket.
#include "sql/alarm.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <limits>

namespace weft::sql {
namespace {

using std::chrono::milliseconds;

int patience_until(Alarm::Instant until) noexcept {
  if (until == Alarm::Instant::max()) return -1;
  const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
  return static_cast<int>(
      std::clamp<milliseconds::rep>(left.count(), 0, std::numeric_limits<int>::max()));
}

}  // namespace

Alarm::Alarm() noexcept : bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Alarm::ring() noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(bell_.get(), &one, sizeof one));
}

void Alarm::clear() noexcept {
  std::uint64_t rings = 0;
  static_cast<void>(!::read(bell_.get(), &rings, sizeof rings));
}

Alarm::Woken Alarm::wait(int socket, short events, Instant until) const noexcept {
  std::array<pollfd, 2> waits{{{.fd = socket, .events = events, .revents = 0},
                               {.fd = bell_.get(), .events = POLLIN, .revents = 0}}};
  for (;;) {
    const int ready = ::poll(waits.data(), waits.size(), patience_until(until));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return Woken::by_time;
    return waits[1].revents != 0 ? Woken::by_alarm : Woken::by_socket;
  }
}

}  // namespace weft::sql
