// SPDX-License-Identifier: Apache-2.0
// PeerCounts: how many connections each peer has, up to a limit. Used by one thread at a time.
//
// Invariant: who is in it has at least one.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

namespace weft::serve {

class PeerCounts {
 public:
  explicit PeerCounts(std::size_t most_of_one) noexcept : most_of_one_(most_of_one) {}

  // Whether it may have another one, which is counted until it leaves. Throws where there is no
  // memory, and then nothing is counted.
  bool enter(const std::string& peer) {
    if (most_of_one_ == 0) return false;
    std::size_t& count = counts_[peer];
    if (count == most_of_one_) return false;
    ++count;
    return true;
  }
  // Precondition: it has entered.
  void leave(const std::string& peer) noexcept {
    const auto found = counts_.find(peer);
    if (--found->second == 0) counts_.erase(found);
  }
  std::size_t peers() const noexcept { return counts_.size(); }

 private:
  const std::size_t most_of_one_;
  std::unordered_map<std::string, std::size_t> counts_;
};

}  // namespace weft::serve
