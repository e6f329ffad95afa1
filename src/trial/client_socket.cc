// SPDX-License-Identifier: Apache-2.0
// A connection to a server that listens on a Unix socket.
#include "trial/client_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>

namespace weft::trial {

base::Result<os::Descriptor> connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return base::Error{"the path of the socket is too long: " + path, ENAMETOOLONG};
  }
  path.copy(address.sun_path, path.size());
  os::Descriptor connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!connection.valid()) return os::last_error("make", "a socket");
  if (::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
      0) {
    return os::last_error("connect to", path);
  }
  return connection;
}

}  // namespace weft::trial
