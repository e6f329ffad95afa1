// SPDX-License-Identifier: Apache-2.0
// weft::Ambient: what belongs to the work at hand (a correlation id, a user, a deadline), without
// being handed from function to function.
//
//   inline constexpr weft::Ambient<std::string> user("user");
//   const auto guard = user.set("ada");          // until the guard goes; then what was before
//   log("looked up by {}", *user.get());         // anywhere below
//
// Concepts
//   strand    what runs one thing after another: a thread, a fiber, or a coroutine with all that it
//             awaits. Each has a context of its own, whichever thread it is on.
//   context   the ambient values of a strand at one moment. It never changes, and to copy it costs
//             a counter; a guard puts a new one in its place.
//   guard     puts a value, or a whole context, in its place for as long as the guard lives.
//
// Work that goes elsewhere takes its context along: Context::capture() here, Attached there, or
// bind_context() for both. The pools, the fibers and the coroutines of weft do it by themselves.
//
// Invariants
//   - A strand sees the values of its own guards, the innermost first, and of what was attached.
//   - After the last guard of a strand has gone, the strand has what it had before the first.
//   - A guard that goes on another strand than it came on touches nothing there, and one that goes
//     before those within it leaves theirs alone: what it has put in place is seen no more, and
//     guard_misuses() counts it.
//   - Work that hands itself on, with a guard each time, keeps no more than the newest values.
//
// Rejected: a thread_local of the value itself. It is the next request's when the guard is
// forgotten, and another's when a coroutine wakes up on another thread.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace weft {

namespace context {

// What an Ambient is told apart by: its address.
struct Key {
  const char* name;
};

struct Frame;
struct Node;
class Strand;

// A reference to a node, counted.
class Reference {
 public:
  Reference() = default;
  explicit Reference(Node* counted) noexcept : node_(counted) {}
  Reference(const Reference& other) noexcept;
  Reference(Reference&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Reference& operator=(Reference other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Reference();
  Node* get() const noexcept { return node_; }

 private:
  Node* node_ = nullptr;
};

const void* find(const Key& key) noexcept;

// Holds a place in the strand it was made on.
class Place {
 public:
  // A value under a key, above all others.
  Place(const Key& key, std::shared_ptr<const void> value);
  // Another context instead of the strand's.
  explicit Place(Reference context);
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  Strand* strand_ = nullptr;  // not touched when it is not the current one: it may be gone
  Frame* frame_ = nullptr;    // none: there was nothing to put, nor to hide
};

}  // namespace context

template <class T>
class Ambient {
 public:
  // Precondition: it lives as long as the process; so it is a constant at namespace scope.
  constexpr explicit Ambient(const char* name) noexcept : key_{name} {}
  Ambient(const Ambient&) = delete;
  Ambient& operator=(const Ambient&) = delete;

  // None: it is not set here. Good until the guard that set it goes.
  const T* get() const noexcept { return static_cast<const T*>(context::find(key_)); }
  const context::Key& key() const noexcept { return key_; }
  T value_or(T otherwise) const {
    const T* const value = get();
    return value != nullptr ? *value : std::move(otherwise);
  }

  class [[nodiscard]] Guard {
   private:
    friend class Ambient;
    Guard(const context::Key& key, std::shared_ptr<const void> value)
        : place_(key, std::move(value)) {}
    context::Place place_;
  };

  Guard set(T value) const { return Guard(key_, std::make_shared<const T>(std::move(value))); }
  // Without a copy, where the value is shared anyway.
  Guard share(std::shared_ptr<const T> value) const { return Guard(key_, std::move(value)); }

 private:
  context::Key key_;
};

// All ambient values of a strand, at the moment of capture(). For any thread.
class Context {
 public:
  Context() = default;  // without any values
  static Context capture() noexcept;
  bool empty() const noexcept { return head_.get() == nullptr; }

 private:
  friend class Attached;
  explicit Context(context::Reference head) noexcept : head_(std::move(head)) {}
  context::Reference head_;
};

// Has the calling strand see `context`, and nothing else, until it goes.
class [[nodiscard]] Attached {
 public:
  explicit Attached(Context context) : place_(std::move(context.head_)) {}

 private:
  context::Place place_;
};

// The function, with the context of now, wherever and whenever it is called.
template <class Function>
auto bind_context(Function&& function) {
  return [context = Context::capture(),
          own = std::forward<Function>(function)](auto&&... arguments) mutable -> decltype(auto) {
    const Attached attached(context);
    return own(std::forward<decltype(arguments)>(arguments)...);
  };
}

struct GuardMisuses {
  std::uint64_t on_another_strand = 0;
  std::uint64_t out_of_order = 0;  // an outer guard went before an inner one
};
GuardMisuses guard_misuses() noexcept;

}  // namespace weft
