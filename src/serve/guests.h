// SPDX-License-Identifier: Apache-2.0
// Guests: the connections that a server has let in, within its limits. Guest: the place of one.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

#include "net/address.h"
#include "serve/counters.h"
#include "serve/line_count.h"
#include "serve/peer_counts.h"

namespace weft::serve {

class Guests;

// Leaves when it is destroyed, as the last touch of the server.
class Guest {
 public:
  Guest(Guest&& other) noexcept
      : guests_(std::exchange(other.guests_, nullptr)), peer_(std::move(other.peer_)) {}
  inline ~Guest();
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  const net::Peer& peer() const noexcept { return peer_; }

 private:
  friend class Guests;
  Guest(Guests& guests, net::Peer peer) noexcept : guests_(&guests), peer_(std::move(peer)) {}

  Guests* guests_;
  net::Peer peer_;
};

// For any thread.
class Guests {
 public:
  // Lines are one more for each guest. Both outlive it.
  Guests(std::size_t most, std::size_t most_of_one_peer, Counters& counters, LineCount& lines)
      : most_(most), counters_(counters), lines_(lines), peers_(most_of_one_peer) {}

  // Nothing: there are too many. Throws where there is no memory, and then nobody has entered.
  std::optional<Guest> enter(net::Peer peer) {
    const std::scoped_lock guard(lock_);
    if (counters_.open.value() >= most_ || !peers_.enter(peer.network)) return std::nullopt;
    lines_.begins();
    counters_.accepted.add();
    counters_.open.add();
    return Guest(*this, std::move(peer));
  }

 private:
  friend class Guest;
  void leave(const net::Peer& peer) noexcept {
    counters_.open.take_off();
    {
      const std::scoped_lock guard(lock_);
      peers_.leave(peer.network);
    }
    lines_.ends();
  }

  const std::size_t most_;
  Counters& counters_;
  LineCount& lines_;
  std::mutex lock_;
  PeerCounts peers_;  // guarded by lock_
};

inline Guest::~Guest() {
  if (guests_ != nullptr) guests_->leave(peer_);
}

}  // namespace weft::serve
