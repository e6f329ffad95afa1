// SPDX-License-Identifier: Apache-2.0
// The values of a strand, as a list that is only ever added to in front; and guards.
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

constinit atomic<std::uint64_t> on_another_strand{0};
constinit atomic<std::uint64_t> out_of_order{0};

Reference make_node(const Key* key, std::shared_ptr<const void> value, const Source* source,
                    Reference below) {
  const std::uint32_t depth = below.get() == nullptr ? 1 : below.get()->depth + 1;
  return Reference(new Node{key, std::move(value), source, std::move(below), depth});
}

// The same values, without those that are hidden by newer ones.
Reference shortened(const Reference& list) {
  std::vector<const Node*> seen;
  for (const Node* node = list.get(); node != nullptr; node = node->below.get()) {
    const bool is_hidden =
        std::ranges::any_of(seen, [&](const Node* newer) { return newer->key == node->key; });
    if (!is_hidden) seen.push_back(node);
  }
  Reference made;
  while (!seen.empty()) {
    const Node& node = *seen.back();
    made = make_node(node.key, node.value, node.source, std::move(made));
    seen.pop_back();
  }
  return made;
}

}  // namespace

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

Reference above(const Reference& below, const Node& node) noexcept {
  return make_node(node.key, node.value, node.source, below);
}

const void* find(const Key& key) noexcept {
  Strand* const strand = current_strand();
  if (strand == nullptr) return nullptr;
  for (const Node* node = strand->head().get(); node != nullptr; node = node->below.get()) {
    if (node->key == &key) return node->value.get();
    if (node->source == nullptr) continue;
    if (const void* const value = node->source->find(key)) return value;
  }
  return nullptr;
}

Reference visible() noexcept {
  Strand* const strand = current_strand();
  if (strand == nullptr) return {};
  Reference seen = strand->head();
  if (seen.get() == nullptr || seen.get()->depth <= most_captured_nodes) return seen;
  try {
    return shortened(seen);
  } catch (const std::bad_alloc&) {
    return seen;
  }
}

Reference visible_with(const Key& key, std::shared_ptr<const Source> source) {
  const Source* const own = source.get();
  return make_node(&key, std::move(source), own, visible());
}

Place::Place(const Key& key, std::shared_ptr<const void> value) {
  Strand& strand = make_current_strand();
  frame_ = strand.push(make_node(&key, std::move(value), nullptr, strand.head()), true);
  strand_ = &strand;
}

Place::Place(Reference context) {
  const Strand* const current = current_strand();
  if (context.get() == nullptr && (current == nullptr || visible().get() == nullptr)) return;
  Strand& strand = make_current_strand();
  frame_ = strand.push(std::move(context), false);
  strand_ = &strand;
}

// The frame is the strand's as long as it is not ended: so it says whose strand it is, and an
// address that was used again is of no harm.
Place::~Place() {
  if (frame_ == nullptr) return;
  Strand* const current = current_strand();
  const bool is_at_home = current != nullptr && current == strand_ && current->has(*frame_);
  if (!is_at_home || !current->is_top(*frame_)) {
    (is_at_home ? out_of_order : on_another_strand).fetch_add(1, std::memory_order_relaxed);
  }
  frame_->ended.store(true, std::memory_order_release);
  release(frame_);
  if (is_at_home) current->head();  // takes it out
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
