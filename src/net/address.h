// SPDX-License-Identifier: Apache-2.0
// Address: where a server listens, as people write it: 127.0.0.1:8080, [::1]:8080, *:80,
// localhost:8080, unix:/run/name.socket.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weft::net {

// The other side of a connection.
struct Peer {
  std::string host;  // its address, without the port
  // What a limit for each peer counts by. Of IPv6 the network that one peer has (/64), as it has
  // all the addresses in it.
  std::string network;
};

class Address {
 public:
  // The Error says what a right one looks like. Names are not looked up, but for localhost: a
  // server must not start on what a name happens to mean today.
  static base::Result<Address> parse(std::string_view text);
  // As the kernel gave it, of getsockname(2) or accept(2).
  Address(const sockaddr* address, socklen_t bytes) noexcept;

  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t bytes() const noexcept { return bytes_; }
  int family() const noexcept { return storage_.ss_family; }
  std::uint16_t port() const noexcept;  // 0 of AF_UNIX
  // Only this machine reaches it.
  bool is_loopback() const noexcept;
  // As it is parsed.
  std::string text() const;
  // For one of accept(2).
  Peer peer() const;

 private:
  Address() = default;

  sockaddr_storage storage_{};
  socklen_t bytes_ = 0;
};

}  // namespace weft::net
