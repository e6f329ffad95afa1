// SPDX-License-Identifier: Apache-2.0
// Opening a socket to listen on, and saying why not.
#include "net/listener.h"

#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace weft::net {
namespace {

base::Error cannot_listen(const Address& address, int error) {
  std::string advice;
  if (error == EADDRINUSE) {
    advice = "; it is taken: stop whoever listens there (ss -ltnp names it), or choose another";
  } else if (error == EACCES && address.family() != AF_UNIX) {
    advice = "; ports below 1024 need CAP_NET_BIND_SERVICE, or a socket from systemd";
  } else if (error == EADDRNOTAVAIL) {
    advice = "; no interface of this machine has that address (ip address lists them)";
  }
  return {"cannot listen on " + address.text() + ": " + std::strerror(error) + advice, error};
}

// A socket file that nobody listens on any more stays behind, and is in the way.
void remove_stale(const Address& address) {
  const std::string path = reinterpret_cast<const sockaddr_un*>(address.get())->sun_path;
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
  const os::Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (::connect(probe.get(), address.get(), address.bytes()) != 0 && errno == ECONNREFUSED) {
    ::unlink(path.c_str());
  }
}

void set(const os::Descriptor& socket, int level, int option, int value) {
  ::setsockopt(socket.get(), level, option, &value, sizeof(value));
}

// Whom only this machine reaches has no link whose rate could be found out. Where the system's
// choice is BBR, that would take 4 % of the CPU of a short answer. Who is accepted inherits it;
// Reno is always there.
void do_without_pacing(const os::Descriptor& socket) {
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
}

}  // namespace

base::Result<os::Descriptor> listen_on(const Address& address, const ListenOptions& options) {
  os::Descriptor socket(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return cannot_listen(address, errno);
  if (address.family() == AF_UNIX) {
    remove_stale(address);
  } else {
    set(socket, SOL_SOCKET, SO_REUSEADDR, 1);
    if (options.reuse_port) set(socket, SOL_SOCKET, SO_REUSEPORT, 1);
    if (address.family() == AF_INET6) set(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (address.is_loopback()) do_without_pacing(socket);
  }
  if (::bind(socket.get(), address.get(), address.bytes()) != 0 ||
      ::listen(socket.get(), options.backlog) != 0) {
    return cannot_listen(address, errno);
  }
  return socket;
}

std::optional<Accepted> accept_connection(int listener) noexcept {
  sockaddr_storage storage{};
  socklen_t bytes = sizeof(storage);
  auto* const address = reinterpret_cast<sockaddr*>(&storage);
  os::Descriptor socket(::accept4(listener, address, &bytes, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket.valid()) return std::nullopt;
  if (storage.ss_family != AF_UNIX) set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  return Accepted{std::move(socket), Address(address, bytes)};
}

void take_no_handshakes(int listener) noexcept {
  int family = 0;
  socklen_t bytes = sizeof(family);
  if (::getsockopt(listener, SOL_SOCKET, SO_DOMAIN, &family, &bytes) != 0) return;
  if (family != AF_INET && family != AF_INET6) return;
  // The kernel shows the filter a segment from its TCP header on; the flags are byte 13.
  constexpr unsigned flags_offset = 13;
  constexpr unsigned syn = 0x02;
  constexpr unsigned syn_or_ack = 0x12;
  sock_filter drop_first_segments[] = {
      {BPF_LD | BPF_B | BPF_ABS, 0, 0, flags_offset},
      {BPF_ALU | BPF_AND | BPF_K, 0, 0, syn_or_ack},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, syn},
      {BPF_RET | BPF_K, 0, 0, 0},
      {BPF_RET | BPF_K, 0, 0, ~0U},
  };
  const sock_fprog program{sizeof(drop_first_segments) / sizeof(*drop_first_segments),
                           drop_first_segments};
  ::setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

base::Result<Address> address_of(const os::Descriptor& socket) {
  sockaddr_storage storage{};
  socklen_t bytes = sizeof(storage);
  auto* const address = reinterpret_cast<sockaddr*>(&storage);
  if (::getsockname(socket.get(), address, &bytes) != 0) {
    return os::last_error("ask for the address of", "a socket");
  }
  return Address(address, bytes);
}

}  // namespace weft::net
