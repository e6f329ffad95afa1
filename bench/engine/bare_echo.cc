// SPDX-License-Identifier: Apache-2.0
// The same echo by one thread that asks epoll, and keeps nothing for a connection: what the
// kernel's own work leaves to gain.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bare_echo.h"
#include "timing.h"

namespace weft::engine {

void serve_barely(const std::vector<int>& connections) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  require(epoll >= 0, "epoll can be had");
  for (const int descriptor : connections) {
    epoll_event event{.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data = {.fd = descriptor}};
    require(::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll takes a socket");
  }
  std::size_t open = connections.size();
  while (open > 0) {
    epoll_event events[64];
    const int ready = ::epoll_wait(epoll, events, 64, -1);
    for (int i = 0; i < ready; ++i) {
      const int descriptor = events[i].data.fd;
      char buffer[1024];
      const ssize_t got = ::recv(descriptor, buffer, sizeof buffer, MSG_DONTWAIT);
      if (got > 0) {
        const auto bytes = static_cast<std::size_t>(got);
        require(::send(descriptor, buffer, bytes, MSG_DONTWAIT) == got, "the server can send");
      }
      // The end may come by the same edge as the last message.
      if (got == 0 || (events[i].events & EPOLLRDHUP) != 0) {
        ::epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nullptr);
        --open;
      }
    }
  }
  ::close(epoll);
}

}  // namespace weft::engine
