// SPDX-License-Identifier: Apache-2.0
// Addresses, read and written.
#include "net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "base/text.h"

namespace weft::net {
namespace {

constexpr std::string_view unix_prefix = "unix:";

base::Error not_an_address(std::string_view text, const char* why) {
  return {"'" + base::printable(text) + "' is no address to listen on: " + why +
          "; write ADDRESS:PORT, for example 127.0.0.1:8080, [::1]:8080, *:8080 (all interfaces)"
          " or unix:/run/name.socket"};
}

struct Parts {
  std::string host, port;
};

std::optional<Parts> split(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() > 1 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  // An IPv6 address without brackets: where it ends cannot be told.
  if (!bracketed && host.find(':') != std::string_view::npos) return std::nullopt;
  return Parts{std::string(host), std::string(text.substr(colon + 1))};
}

template <class Socket>
Socket& as(sockaddr_storage& storage) {
  return reinterpret_cast<Socket&>(storage);
}

template <class Socket>
const Socket& as(const sockaddr_storage& storage) {
  return reinterpret_cast<const Socket&>(storage);
}

std::string host_text(const sockaddr_storage& storage) {
  char text[INET6_ADDRSTRLEN] = "";
  const void* const bytes = storage.ss_family == AF_INET
                                ? static_cast<const void*>(&as<sockaddr_in>(storage).sin_addr)
                                : &as<sockaddr_in6>(storage).sin6_addr;
  ::inet_ntop(storage.ss_family, bytes, text, sizeof(text));
  return text;
}

}  // namespace

Address::Address(const sockaddr* address, socklen_t bytes) noexcept
    : bytes_(std::min<socklen_t>(bytes, sizeof(storage_))) {
  std::memcpy(&storage_, address, bytes_);
}

base::Result<Address> Address::parse(std::string_view text) {
  Address address;
  if (text.substr(0, unix_prefix.size()) == unix_prefix) {
    const std::string_view path = text.substr(unix_prefix.size());
    auto& local = as<sockaddr_un>(address.storage_);
    if (path.empty()) return not_an_address(text, "the path is empty");
    if (path.size() >= sizeof(local.sun_path)) {
      return not_an_address(text, "the path of a socket has at most 107 bytes");
    }
    local.sun_family = AF_UNIX;
    path.copy(local.sun_path, path.size());
    address.bytes_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
    return address;
  }
  auto parts = split(text);
  if (!parts) return not_an_address(text, "there is no port, or an IPv6 address has no brackets");
  const auto port = base::to_number<std::uint16_t>(parts->port);
  if (!port) return not_an_address(text, "the port is no number from 0 to 65535");
  if (parts->host == "localhost") parts->host = "127.0.0.1";
  auto& four = as<sockaddr_in>(address.storage_);
  auto& six = as<sockaddr_in6>(address.storage_);
  if (parts->host == "*") {
    six.sin6_family = AF_INET6;  // IPv4 as well
    six.sin6_addr = in6addr_any;
  } else if (::inet_pton(AF_INET, parts->host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
  } else if (::inet_pton(AF_INET6, parts->host.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
  } else {
    return not_an_address(text, "names are not looked up; give the number of the interface");
  }
  four.sin_port = htons(*port);  // at the same place in both
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  address.bytes_ = address.family() == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  return address;
}

std::uint16_t Address::port() const noexcept {
  return family() == AF_UNIX ? std::uint16_t{0} : ntohs(as<sockaddr_in>(storage_).sin_port);
}

bool Address::is_loopback() const noexcept {
  if (family() == AF_UNIX) return true;
  if (family() == AF_INET) {
    return ntohl(as<sockaddr_in>(storage_).sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  return IN6_IS_ADDR_LOOPBACK(&as<sockaddr_in6>(storage_).sin6_addr);
}

std::string Address::text() const {
  if (family() == AF_UNIX) {
    return std::string(unix_prefix) + as<sockaddr_un>(storage_).sun_path;
  }
  const std::string port_text = ":" + std::to_string(port());
  if (family() == AF_INET) return host_text(storage_) + port_text;
  if (IN6_IS_ADDR_UNSPECIFIED(&as<sockaddr_in6>(storage_).sin6_addr)) return "*" + port_text;
  return "[" + host_text(storage_) + "]" + port_text;
}

Peer Address::peer() const {
  if (family() == AF_UNIX) return {"unix", "unix"};
  auto network = storage_;
  if (family() == AF_INET6) {
    in6_addr& address = as<sockaddr_in6>(network).sin6_addr;
    if (!IN6_IS_ADDR_V4MAPPED(&address)) std::memset(&address.s6_addr[8], 0, 8);
  }
  return {host_text(storage_), host_text(network)};
}

}  // namespace weft::net
