// SPDX-License-Identifier: Apache-2.0
// The values of a strand, as a list that is only ever added to in front.
#include <weft/context.h>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "base/atomic.h"
#include "context/strand.h"

namespace weft {
namespace context {
namespace {

// A list that is longer when it is captured is made anew, of what can be seen of it.
constexpr std::uint32_t most_captured_nodes = 32;

constinit thread_local Strand own_strand;
constinit thread_local Strand* entered_strand = nullptr;

constinit atomic<std::uint64_t> last_name{0};
constinit atomic<std::uint64_t> on_another_strand{0};
constinit atomic<std::uint64_t> out_of_order{0};

std::uint64_t name_of(Strand& strand) noexcept {
  if (strand.name == 0) strand.name = last_name.fetch_add(1, std::memory_order_relaxed) + 1;
  return strand.name;
}

std::uint32_t depth_of(const Reference& list) noexcept {
  return list.get() == nullptr ? 0 : list.get()->depth;
}

Reference make_node(const Key* key, std::shared_ptr<const void> value, Reference below,
                    Reference instead) {
  const std::uint32_t depth = depth_of(below) + 1;
  return Reference(new Node{key, std::move(value), std::move(below), std::move(instead), depth});
}

// Takes what has ended off the front.
void prune(Reference& list) noexcept {
  while (list.get() != nullptr && list.get()->has_ended()) list = Reference(list.get()->instead);
}

// The same values, without those that are hidden by newer ones.
Reference shortened(const Reference& list) {
  std::vector<const Node*> seen;
  for (const Node* node = list.get(); node != nullptr; node = node->next().get()) {
    const bool is_hidden =
        node->key == nullptr || node->has_ended() ||
        std::ranges::any_of(seen, [&](const Node* newer) { return newer->key == node->key; });
    if (!is_hidden) seen.push_back(node);
  }
  Reference made;
  while (!seen.empty()) {
    made = make_node(seen.back()->key, seen.back()->value, made, made);
    seen.pop_back();
  }
  return made;
}

}  // namespace

Strand& current_strand() noexcept {
  return entered_strand != nullptr ? *entered_strand : own_strand;
}

Strand* enter(Strand* strand) noexcept {
  return std::exchange(entered_strand, strand);
}

Reference::Reference(const Reference& other) noexcept : node_(other.node_) {
  if (node_ != nullptr) node_->references.fetch_add(1, std::memory_order_relaxed);
}

// A list may be long: its nodes go one after another, not one within the other.
Reference::~Reference() {
  while (node_ != nullptr && node_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    Node* const below = std::exchange(node_->below.node_, nullptr);
    delete std::exchange(node_, below);
  }
}

const void* find(const Key& key) noexcept {
  const Node* node = current_strand().head.get();
  while (node != nullptr && (node->key != &key || node->has_ended())) node = node->next().get();
  return node == nullptr ? nullptr : node->value.get();
}

Place::Place(const Key& key, std::shared_ptr<const void> value)
    : strand_(&current_strand()), name_(name_of(*strand_)) {
  prune(strand_->head);
  own_ = make_node(&key, std::move(value), strand_->head, strand_->head);
  strand_->head = own_;
}

Place::Place(Reference context) : strand_(&current_strand()) {
  if (context.get() == nullptr && strand_->head.get() == nullptr) return;
  name_ = name_of(*strand_);
  own_ = make_node(nullptr, nullptr, std::move(context), strand_->head);
  strand_->head = own_;
}

Place::~Place() {
  Node* const node = own_.get();
  if (node == nullptr) return;
  Strand& current = current_strand();
  const bool is_at_home = &current == strand_ && current.name == name_;
  if (is_at_home && current.head.get() == node) {
    current.head = node->instead;
    prune(current.head);
    return;
  }
  (is_at_home ? out_of_order : on_another_strand).fetch_add(1, std::memory_order_relaxed);
  node->ended.store(true, std::memory_order_relaxed);
}

Reference visible() noexcept {
  Reference seen = current_strand().head;
  // What only hides is of no use elsewhere.
  while (seen.get() != nullptr && (seen.get()->key == nullptr || seen.get()->has_ended())) {
    seen = Reference(seen.get()->next());
  }
  if (depth_of(seen) <= most_captured_nodes) return seen;
  try {
    return shortened(seen);
  } catch (const std::bad_alloc&) {
    return seen;
  }
}

}  // namespace context

Context Context::capture() noexcept {
  return Context(context::visible());
}

GuardMisuses guard_misuses() noexcept {
  return {context::on_another_strand.load(std::memory_order_relaxed),
          context::out_of_order.load(std::memory_order_relaxed)};
}

}  // namespace weft
