// SPDX-License-Identifier: Apache-2.0
// LISTEN_FDS and NOTIFY_SOCKET.
#include "net/service_manager.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "base/text.h"

namespace weft::net {
namespace {

constexpr int first_inherited = 3;
constexpr int most_inherited = 64;

base::Status make_ready(int socket) {
  int is_listening = 0;
  socklen_t bytes = sizeof(is_listening);
  if (::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &bytes) != 0 ||
      is_listening == 0) {
    return base::Error{"descriptor " + std::to_string(socket) +
                       " was handed over to listen on, and does not listen; the unit's socket must "
                       "say ListenStream=, and Accept=no"};
  }
  const int flags = ::fcntl(socket, F_GETFL);
  ::fcntl(socket, F_SETFL, flags | O_NONBLOCK);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  return base::Done{};
}

}  // namespace

base::Result<std::vector<os::Descriptor>> take_inherited_sockets() {
  std::vector<os::Descriptor> sockets;
  const char* const process = ::getenv("LISTEN_PID");
  const char* const count_text = ::getenv("LISTEN_FDS");
  const bool is_for_us =
      process != nullptr && count_text != nullptr && base::to_number<pid_t>(process) == ::getpid();
  const int count = is_for_us ? base::to_number<int>(count_text).value_or(-1) : 0;
  if (count < 0 || count > most_inherited) {
    return base::Error{"LISTEN_FDS is '" + base::printable(count_text) +
                       "', not a number up to 64"};
  }
  for (const char* const name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  for (int i = 0; i < count; ++i) {
    sockets.emplace_back(first_inherited + i);
    if (auto status = make_ready(first_inherited + i); !status) return status.error();
  }
  return sockets;
}

bool notify_manager(std::string_view lines) noexcept {
  const char* const path = ::getenv("NOTIFY_SOCKET");
  if (path == nullptr) return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t path_bytes = std::strlen(path);
  if (path_bytes < 2 || path_bytes >= sizeof(address.sun_path)) return false;
  std::memcpy(address.sun_path, path, path_bytes);
  if (path[0] == '@') address.sun_path[0] = '\0';  // a name without a file
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_bytes);
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto sent = ::sendto(socket, lines.data(), lines.size(), MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&address), bytes);
  if (socket >= 0) ::close(socket);
  return sent == static_cast<ssize_t>(lines.size());
}

}  // namespace weft::net
