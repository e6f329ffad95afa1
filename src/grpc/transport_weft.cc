// SPDX-License-Identifier: Apache-2.0
// How a server starts and ends whose transport is weft's own.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "grpc/server_core.h"
#include "net/address.h"
#include "net/listener.h"

namespace weft::grpc {
namespace {

using namespace std::chrono_literals;

constexpr int port_of_nothing = 1;  // of sockets that have none, as gRPC says it

// How long those are waited for who have begun to connect.
constexpr auto handshake_patience = 50ms;

net::Address parsed(const std::string& text) {
  const auto address = net::Address::parse(text);
  if (!address) throw std::runtime_error("weft::grpc: " + address.error().message);
  return *address;
}

}  // namespace

void Server::Core::start_on_weft(const budget::Budget& budget, std::uint32_t most_workers) {
  const ServerOptions& options = site_.options;
  if (options.credentials != nullptr) {
    throw std::runtime_error(
        "weft::grpc: credentials of gRPC's are its own, and weft's transport cannot use them: "
        "leave "
        "them out, and encrypt in front of the server, or set transport = Transport::grpc");
  }
  for (std::size_t i = 0; i < options.addresses.size(); ++i) {
    auto listener = net::listen_on(parsed(options.addresses[i]));
    if (!listener) throw std::runtime_error("weft::grpc: " + listener.error().message);
    const auto bound = net::address_of(*listener);
    if (!bound) throw std::runtime_error("weft::grpc: " + bound.error().message);
    ports_[i] = bound->family() == AF_UNIX ? port_of_nothing : bound->port();
    site_.listeners.push_back(std::move(*listener));
  }
  const double share = static_cast<double>(budget.memory.bytes) * options.memory_share;
  site_.most_kept_bytes = budget.memory.bytes == 0
                              ? SIZE_MAX
                              : static_cast<std::size_t>(share / static_cast<double>(most_workers));
  site_.give = [this](net::Accepted accepted) { crew_->give(std::move(accepted)); };
  std::vector<std::unique_ptr<Worker>> all;
  for (std::uint32_t i = 0; i < most_workers; ++i) all.push_back(std::make_unique<Worker>(site_));
  crew_ = std::make_unique<Crew>(std::move(all));
}

// Whoever was let in is answered; whoever comes later is told that nobody is here. The numbers of
// the sockets are kept until no thread can ask for them.
void Server::Core::stop_listening(Instant deadline) {
  for (const os::Descriptor& listener : site_.listeners) net::take_no_handshakes(listener.get());
  std::this_thread::sleep_until(std::min(deadline, Instant::clock::now() + handshake_patience));
  for (const os::Descriptor& listener : site_.listeners) {
    while (auto accepted = net::accept_connection(listener.get())) {
      crew_->give(std::move(*accepted));
    }
    ::shutdown(listener.get(), SHUT_RDWR);
  }
  for (const std::string& address : site_.options.addresses) {
    const net::Address local = parsed(address);
    if (local.family() != AF_UNIX) continue;
    ::unlink(reinterpret_cast<const sockaddr_un*>(local.get())->sun_path);
  }
}

void Server::Core::cancel_on_weft_at(Instant deadline) {
  std::unique_lock lock(mutex_);
  const auto is_empty = [this] { return is_empty_; };
  if (has_ended_.wait_until(lock, deadline, is_empty)) return;
  was_cut_off_ = !crew_->is_idle();
  site_.is_shut_down.store(true, std::memory_order_relaxed);
  crew_->cancel_all(CancelReason::shutdown);
  const Instant unwound = std::max(deadline, Instant::clock::now()) + site_.options.unwind_time;
  if (has_ended_.wait_until(lock, unwound, is_empty)) return;
  crew_->cut();
}

void Server::Core::shutdown_on_weft(Instant deadline) {
  // Whoever is told to go looks for another place at once, and is to hear that it is not here.
  stop_listening(deadline);
  crew_->drain();
  std::thread canceller([this, deadline] { cancel_on_weft_at(deadline); });
  crew_->close();
  {
    const std::scoped_lock guard(mutex_);
    is_empty_ = true;
  }
  has_ended_.notify_all();
  canceller.join();
  site_.listeners.clear();
}

}  // namespace weft::grpc
