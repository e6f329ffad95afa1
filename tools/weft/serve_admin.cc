// SPDX-License-Identifier: Apache-2.0
// The port for those who look after the server.
#include "serve_admin.h"

#include <iostream>
#include <utility>
#include <vector>

#include "net/listener.h"
#include "serve/concurrency.h"
#include "serve/conversations.h"

namespace weft::tool {
namespace {

constexpr std::size_t most_connections = 128;  // a thread each

}  // namespace

base::Status ServeAdmin::start(const std::string& place, serve::About about,
                               const serve::RunningServer& watched) {
  const auto address = net::Address::parse(place);
  if (!address) return address.error();
  auto socket = net::listen_on(*address);
  if (!socket) return socket.error();
  const auto bound = net::address_of(*socket);
  const std::string shown = bound ? bound->text() : place;
  // No browser can be led to a socket of the file system.
  const bool is_loopback = address->family() != AF_UNIX && address->is_loopback();
  site_.emplace(std::move(about), watched,
                is_loopback ? serve::AskedBy::address : serve::AskedBy::any_name);
  std::vector<os::Descriptor> listeners;
  listeners.push_back(std::move(*socket));
  serve::ReactorLimits limits;
  limits.connections = most_connections;
  server_ = std::make_unique<serve::Conversations>(limits, *site_, std::move(listeners),
                                                   serve::make_threads());
  server_->start();
  std::cerr << "weft serve: admin on " << shown << '\n';
  if (!address->is_loopback()) {
    std::cerr << "weft serve: warning: whoever reaches " << shown
              << " sees how the server does; 127.0.0.1 keeps that to this machine\n";
  }
  return base::Done{};
}

}  // namespace weft::tool
