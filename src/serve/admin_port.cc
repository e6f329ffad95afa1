// SPDX-License-Identifier: Apache-2.0
// A port, a site and a thread for each who asks.
#include "serve/admin_port.h"

#include <utility>
#include <vector>

#include "net/listener.h"
#include "serve/concurrency.h"
#include "serve/conversations.h"

namespace weft::serve {
namespace {

constexpr std::size_t most_connections = 128;  // a thread each

}  // namespace

base::Result<std::string> AdminPort::start(const std::string& place, About about,
                                           const RunningServer& watched, MoreMetrics more) {
  const auto address = net::Address::parse(place);
  if (!address) return address.error();
  auto socket = net::listen_on(*address);
  if (!socket) return socket.error();
  const auto bound = net::address_of(*socket);
  is_open_to_others_ = !address->is_loopback();
  // No browser can be led to a socket of the file system.
  const bool is_by_address = address->family() != AF_UNIX && address->is_loopback();
  site_.emplace(std::move(about), watched, is_by_address ? AskedBy::address : AskedBy::any_name,
                std::move(more));
  std::vector<os::Descriptor> listeners;
  listeners.push_back(std::move(*socket));
  ReactorLimits limits;
  limits.connections = most_connections;
  server_ = std::make_unique<Conversations>(limits, *site_, std::move(listeners), make_threads());
  server_->start();
  return bound ? bound->text() : place;
}

}  // namespace weft::serve
