// SPDX-License-Identifier: Apache-2.0
// A server begins and ends.
#include "serve/server.h"

#include <weft/budget.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace weft::serve {
namespace {

constexpr auto time_between_looks_at_reactors = std::chrono::milliseconds{2};

std::uint32_t reactors_for(const ServerOptions& options) {
  if (options.reactors != 0) return options.reactors;
  return std::max<std::uint32_t>(1, budget::read().cpu.threads / 2);
}

}  // namespace

Server::Server(ServerOptions options, Site& site, std::vector<os::Descriptor> listeners)
    : options_(std::move(options)),
      memory_(options_.limits.all_bodies_bytes, options_.limits.retry_after),
      listeners_(std::move(listeners)),
      pool_(options_.pool) {
  for (std::uint32_t i = 0; i < reactors_for(options_); ++i) {
    reactors_.push_back(
        std::make_unique<Reactor>(options_.limits, site, pool_, memory_, listeners_, tls_));
  }
}

Server::~Server() {
  for (const auto& reactor : reactors_) reactor->end();
  pool_.drain();
}

void Server::start() {
  for (const auto& reactor : reactors_) reactor->start(log());
}

bool Server::drain(std::chrono::milliseconds grace) {
  const auto end = std::chrono::steady_clock::now() + grace;
  for (const auto& reactor : reactors_) reactor->begin_drain();
  const auto all_ended = [this] {
    return std::all_of(reactors_.begin(), reactors_.end(),
                       [](const auto& reactor) { return reactor->has_ended(); });
  };
  const auto all_let_go = [this] {
    return std::all_of(reactors_.begin(), reactors_.end(),
                       [](const auto& reactor) { return reactor->has_let_go(); });
  };
  while (!all_ended()) {
    if (all_let_go()) listeners_.clear();  // who connects now goes elsewhere
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(time_between_looks_at_reactors);
  }
  return true;
}

}  // namespace weft::serve
