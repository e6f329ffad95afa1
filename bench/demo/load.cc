// SPDX-License-Identifier: Apache-2.0
// The load on the plain server, by one thread and epoll.
#include "load.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/text.h"
#include "bench/interrupt.h"
#include "trial/client_socket.h"

namespace weft::demo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view request = "GET / HTTP/1.1\r\nHost: demo\r\n\r\n";

struct Connection {
  os::Descriptor socket;
  Clock::time_point sent_at;
  std::string response;
};

base::Status send_request(Connection& connection, Clock::time_point now) {
  connection.sent_at = now;
  connection.response.clear();
  const auto sent = ::send(connection.socket.get(), request.data(), request.size(), MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(request.size())) return base::Done{};
  return os::last_error("send to", "the server");
}

// true: the response is whole.
base::Result<bool> receive(Connection& connection) {
  std::array<char, 1024> buffer{};
  const auto count = ::recv(connection.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (count < 0) return os::last_error("receive from", "the server");
  if (count == 0) return base::Error{"the server closed a connection", ECONNRESET};
  connection.response.append(buffer.data(), static_cast<std::size_t>(count));
  return is_whole_response(connection.response);
}

base::Result<std::vector<Connection>> open_connections(const LoadOptions& options, int epoll) {
  std::vector<Connection> connections(options.connections);
  for (std::size_t number = 0; number < connections.size(); ++number) {
    auto socket = trial::connect_to(options.socket_path);
    if (!socket) return socket.error();
    connections[number].socket = std::move(*socket);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = number;
    if (::epoll_ctl(epoll, EPOLL_CTL_ADD, connections[number].socket.get(), &event) != 0) {
      return os::last_error("watch", "a connection");
    }
    if (const auto status = send_request(connections[number], Clock::now()); !status) {
      return status.error();
    }
  }
  return connections;
}

// Answers what is ready, once. Requests that were sent after `from` are counted.
base::Status turn(int epoll, std::vector<Connection>& connections, Clock::time_point from,
                  std::vector<double>& milliseconds) {
  std::array<epoll_event, 64> events;
  const int ready = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 1'000);
  if (ready < 0)
    return errno == EINTR ? bench::check_interrupt() : os::last_error("wait for", "it");
  for (int i = 0; i < ready; ++i) {
    Connection& connection = connections[events[static_cast<std::size_t>(i)].data.u64];
    const auto whole = receive(connection);
    if (!whole) return whole.error();
    if (!*whole) continue;
    const auto now = Clock::now();
    if (connection.sent_at >= from) {
      milliseconds.push_back(
          std::chrono::duration<double, std::milli>(now - connection.sent_at).count());
    }
    if (auto status = send_request(connection, now); !status) return status;
  }
  return base::Done{};
}

base::Status turn_until(Clock::time_point end, int epoll, std::vector<Connection>& connections,
                        Clock::time_point from, std::vector<double>& milliseconds) {
  while (Clock::now() < end) {
    if (auto status = turn(epoll, connections, from, milliseconds); !status) return status;
    if (auto status = bench::check_interrupt(); !status) return status;
  }
  return base::Done{};
}

}  // namespace

bool is_whole_response(std::string_view text) {
  constexpr std::string_view name = "Content-Length: ";
  const auto header_end = text.find("\r\n\r\n");
  const auto at = text.find(name);
  if (header_end == std::string_view::npos || at == std::string_view::npos) return false;
  const std::string_view value = text.substr(at + name.size());
  const auto length = base::to_number<std::size_t>(value.substr(0, value.find('\r')));
  return length && text.size() == header_end + 4 + *length;
}

base::Result<LoadResult> generate_load(const LoadOptions& options) {
  const os::Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return os::last_error("make", "an epoll");
  auto connections = open_connections(options, epoll.get());
  if (!connections) return connections.error();
  LoadResult result;
  result.milliseconds.reserve(1'000'000);
  const auto begin = Clock::now() + options.warm_up;
  if (const auto status = turn_until(begin, epoll.get(), *connections, Clock::time_point::max(),
                                     result.milliseconds);
      !status) {
    return status.error();
  }
  if (options.at_begin) options.at_begin();
  const auto counted_from = Clock::now();
  if (const auto status = turn_until(counted_from + options.length, epoll.get(), *connections,
                                     counted_from, result.milliseconds);
      !status) {
    return status.error();
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - counted_from).count();
  if (options.at_end) options.at_end();
  return result;
}

}  // namespace weft::demo
