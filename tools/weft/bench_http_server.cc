// SPDX-License-Identifier: Apache-2.0
// Sockets and /proc around a server under measurement.
#include "bench_http_server.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/text.h"
#include "bench/interrupt.h"
#include "bench_http_proc.h"
#include "net/listener.h"
#include "trial/usage.h"

namespace weft::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds longest_start{90};  // Node's threads, on a busy machine
constexpr timeval longest_answer{5, 0};
constexpr std::size_t idle_batch = 256;

// A port that nobody listens on now.
base::Result<std::uint16_t> free_port() {
  const auto address = net::Address::parse("127.0.0.1:0");
  if (!address) return address.error();
  const auto socket = net::listen_on(*address);
  if (!socket) return socket.error();
  const auto bound = net::address_of(*socket);
  if (!bound) return bound.error();
  return bound->port();
}

base::Result<os::Descriptor> connect_to_port(std::uint16_t port) {
  os::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return os::last_error("make", "a socket");
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &longest_answer, sizeof longest_answer);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return os::last_error("connect to", "port " + std::to_string(port));
  }
  return socket;
}

bool send_request(const os::Descriptor& socket, std::string_view path, bool is_last) {
  std::string request = "GET " + std::string(path) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
  request += is_last ? "Connection: close\r\n\r\n" : "\r\n";
  return ::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(request.size());
}

// All that comes until the other side closes.
std::string ask(std::uint16_t port, std::string_view path) {
  const auto socket = connect_to_port(port);
  std::string answer;
  if (!socket || !send_request(*socket, path, true)) return answer;
  char buffer[16384];
  ssize_t received = 0;
  while ((received = ::recv(socket->get(), buffer, sizeof buffer, 0)) > 0) {
    answer.append(buffer, static_cast<std::size_t>(received));
  }
  return answer;
}

}  // namespace

base::Result<RunningHttpServer> RunningHttpServer::start(const HttpPeers& peers,
                                                         HttpServerKind kind,
                                                         const std::vector<std::string>& options,
                                                         const std::vector<int>& cpus,
                                                         const std::string& directory) {
  const auto port = free_port();
  if (!port) return port.error();
  std::uint16_t admin_port = 0;
  if (kind == HttpServerKind::weft) {
    const auto admin = free_port();
    if (!admin) return admin.error();
    admin_port = *admin;
  }
  const std::string place = directory + "/server";
  std::error_code error;
  std::filesystem::remove_all(place, error);
  std::filesystem::create_directories(place, error);
  auto words = peers.words_to_start(kind, options, *port, admin_port, place);
  if (!words) return words.error();
  auto process = trial::BackgroundProcess::start(std::move(*words), cpus, place + "/log");
  if (!process) return process.error();
  RunningHttpServer server(std::move(*process), *port, admin_port);

  const auto deadline = Clock::now() + longest_start;
  constexpr std::string_view good = "HTTP/1.1 200";
  while (ask(*port, "/_/hello").compare(0, good.size(), good) != 0) {
    if (auto status = bench::check_interrupt(); !status) return status.error();
    const bool has_ended = !server.process_.is_running();
    if (has_ended || Clock::now() > deadline) {
      return base::Error{std::string(name_of(kind)) +
                         (has_ended ? " ended before it served" : " does not answer") +
                         ". Its last words:\n" + server.process_.last_words()};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return server;
}

double RunningHttpServer::cpu_seconds() const {
  double seconds = 0;
  for (const pid_t process : processes_of_group(process_.id())) {
    if (const auto time = trial::read_cpu_time(process)) seconds += time->seconds();
  }
  return seconds;
}

double RunningHttpServer::memory_bytes() const {
  constexpr double kibibyte = 1024;
  double bytes = 0;
  for (const pid_t process : processes_of_group(process_.id())) {
    const auto text = os::read_text("/proc/" + std::to_string(process) + "/smaps_rollup");
    if (text) bytes += parse_field(*text, "Pss").value_or(0) * kibibyte;
  }
  return bytes;
}

double RunningHttpServer::threads() const {
  double threads = 0;
  for (const pid_t process : processes_of_group(process_.id())) {
    const auto text = os::read_text("/proc/" + std::to_string(process) + "/status");
    if (text) threads += parse_field(*text, "Threads").value_or(0);
  }
  return threads;
}

std::optional<double> RunningHttpServer::metric(std::string_view name) const {
  if (admin_port_ == 0) return std::nullopt;
  return parse_metric(ask(admin_port_, "/metrics"), name);
}

base::Result<IdleConnections> IdleConnections::open(std::uint16_t port, unsigned count) {
  IdleConnections connections;
  std::vector<os::Descriptor>& sockets = connections.sockets_;
  sockets.reserve(count);
  const auto failed = [&](const std::string& what) {
    return base::Error{"of " + std::to_string(count) + " idle connections, " + what + " number " +
                       std::to_string(sockets.size())};
  };
  char buffer[4096];
  while (sockets.size() < count) {
    if (auto status = bench::check_interrupt(); !status) return status.error();
    // Many ask before the first is listened to: one at a time would be two switches for each.
    const std::size_t begin = sockets.size();
    while (sockets.size() < count && sockets.size() - begin < idle_batch) {
      auto socket = connect_to_port(port);
      if (!socket) return failed(socket.error().message + " at");
      if (!send_request(*socket, "/_/hello", false)) return failed("could not ask on");
      sockets.push_back(std::move(*socket));
    }
    for (std::size_t i = begin; i < sockets.size(); ++i) {
      if (::recv(sockets[i].get(), buffer, sizeof buffer, 0) <= 0) {
        return failed("one was not answered before");
      }
    }
  }
  return connections;
}

}  // namespace weft::tool
