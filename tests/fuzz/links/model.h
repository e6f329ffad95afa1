// SPDX-License-Identifier: Apache-2.0
// Model: what links must hold and must answer, as a map. It knows the contract, and nothing of how
// the service keeps it: rules are written here again, in other words.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "links.h"

namespace weft::fuzz {

// A link, and what of its creation is remembered.
struct Kept {
  ::links::Link link;
  bool is_chosen = false;
  std::optional<std::string> idempotency_key;
};
bool operator==(const Kept& one, const Kept& other);
bool is_same(const ::links::Link& one, const ::links::Link& other);

// By their keys.
using AllKept = std::map<std::string, Kept>;

bool is_utf8(std::string_view text);
bool is_key(std::string_view text);

// What the rules say to a creation. Between what must and what must not be taken are URLs that it
// is the service's to judge.
enum class Judgement { must_take, may_take, must_refuse };
Judgement judge(const ::links::NewLink& wanted);

class Model {
 public:
  // What becomes of a creation that the rules take.
  enum class Creation { made, again, reused, taken };
  Creation creation(const ::links::NewLink& wanted) const;
  // That of the same creation before. Precondition: creation() says again.
  const ::links::Link& earlier(const ::links::NewLink& wanted) const;

  const Kept* find(std::string_view key) const;
  std::vector<::links::Link> page(const ::links::Page& page) const;

  void add(const ::links::NewLink& wanted, const ::links::Link& link);
  void visit(std::string_view key) { ++all_.find(std::string(key))->second.link.visits; }
  void remove(std::string_view key) { all_.erase(std::string(key)); }

  const AllKept& all() const { return all_; }
  // What nobody was told of: a creation, a visit or a removal whose time was over may have been
  // done, or not. Takes over what is stored, if it is one of both.
  bool reconcile(const AllKept& stored, const ::links::NewLink* created, std::string_view visited,
                 std::string_view removed);

 private:
  const Kept* find_by_name(const std::optional<std::string>& idempotency_key) const;
  AllKept all_;
};

// The link is new, and the one that was asked for.
void require_made(const Model& before, const ::links::NewLink& wanted, const ::links::Link& made);

}  // namespace weft::fuzz
