// SPDX-License-Identifier: Apache-2.0
// An echo server, a fiber for each connection, and a client that asks it once.
#include <weft/fiber_io.h>
#include <weft/fibers.h>

#include <netinet/in.h>

#include <cstdio>

namespace {

void serve(int connection) {
  char buffer[4096];
  for (ssize_t got = 0; (got = weft::fiber_io::read(connection, buffer, sizeof(buffer))) > 0;) {
    weft::fiber_io::write(connection, buffer, static_cast<std::size_t>(got));
  }
  weft::fiber_io::close(connection);
}

}  // namespace

int main() {
  weft::Fibers fibers;
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t address_bytes = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener, generic, address_bytes) != 0 || ::listen(listener, 128) != 0 ||
      ::getsockname(listener, generic, &address_bytes) != 0) {
    std::perror("listen");
    return 1;
  }
  weft::Fiber server = fibers.spawn([&] {
    const int connection = weft::fiber_io::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    weft::Fiber handler = fibers.spawn([connection] { serve(connection); });
  });
  weft::Fiber client = fibers.spawn([&] {
    const int connection = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    weft::fiber_io::connect(connection, generic, address_bytes);
    weft::fiber_io::write(connection, "hello", 5);
    char answer[5];
    const ssize_t got = weft::fiber_io::read(connection, answer, sizeof(answer));
    std::printf("the answer is %.*s, on %u workers\n", static_cast<int>(got), answer,
                fibers.workers());
    weft::fiber_io::close(connection);
  });
  server.join();
  client.join();
  return 0;
}
