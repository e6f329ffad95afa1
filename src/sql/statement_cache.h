// SPDX-License-Identifier: Apache-2.0
// StatementCache: prepared statements by their text, the most recently used ones.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace weft::sql {

template <class Prepared>
class StatementCache {
 public:
  explicit StatementCache(std::size_t most) : most_(most == 0 ? 1 : most) {}

  // Good until the next add() or remove().
  Prepared* find(std::string_view key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &entries_.front().second;
  }
  // Takes the one out that has not been used for longest, where there are too many: so that there
  // is room before a new one is made.
  std::optional<Prepared> make_room() {
    if (entries_.size() < most_) return std::nullopt;
    std::optional<Prepared> oldest(std::move(entries_.back().second));
    by_key_.erase(entries_.back().first);
    entries_.pop_back();
    return oldest;
  }
  // Precondition: it is not there.
  Prepared& add(std::string key, Prepared prepared) {
    entries_.emplace_front(std::move(key), std::move(prepared));
    by_key_.emplace(entries_.front().first, entries_.begin());
    return entries_.front().second;
  }
  std::optional<Prepared> remove(std::string_view key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return std::nullopt;
    const auto entry = found->second;
    std::optional<Prepared> removed(std::move(entry->second));
    by_key_.erase(found);
    entries_.erase(entry);
    return removed;
  }
  void clear() {
    by_key_.clear();
    entries_.clear();
  }
  std::size_t size() const noexcept { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<std::string, Prepared>>;
  const std::size_t most_;
  Entries entries_;                                                          // latest first
  std::unordered_map<std::string_view, typename Entries::iterator> by_key_;  // views of the entries
};

}  // namespace weft::sql
