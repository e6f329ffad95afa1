// SPDX-License-Identifier: Apache-2.0
// Fairness: keeps a thread that spins from spinning for ever, and leaves all else to chance.
//
// After Musuvathi and Qadeer, "Fair stateless model checking", PLDI 2008. A thread's window is the
// time since its last yield. When it yields again, it starts to wait for those actors that could
// run all through the window and never did; each such wait ends when that actor runs or cannot run.
// A deadline that is over counts as a yield of its thread, or one that does something each second
// would do it for ever while others wait for their turn.
// No cycle of waits arises: nobody waits for a thread that has just run or was blocked, and only
// such a thread yields. (The paper's set of threads that the yielding one has disabled is empty
// here: no turn of a thread disables another thread's.)
#pragma once

#include <array>
#include <cstdint>

#include "model/strategy.h"

namespace weft::model {

using ActorSet = std::uint64_t;
constexpr ActorSet set_of(Actor actor) noexcept {
  return ActorSet{1} << actor;
}
inline constexpr ActorSet all_threads = set_of(most_threads) - 1;
static_assert(most_actors <= 64);

class Fairness {
 public:
  explicit Fairness(std::size_t threads = 0) : threads_(threads) {}

  bool may_run(std::size_t thread, ActorSet enabled) const noexcept {
    return (windows_[thread].waits_for & enabled) == 0;
  }

  // The actor was chosen out of these.
  void ran(Actor actor, ActorSet enabled) noexcept {
    for (std::size_t i = 0; i < threads_; ++i) {
      Window& window = windows_[i];
      window.always_enabled &= enabled;
      window.ran |= set_of(actor);
      window.waits_for &= enabled & ~set_of(actor);
    }
  }

  void yielded(std::size_t thread, ActorSet enabled) noexcept {
    Window& window = windows_[thread];
    window.waits_for |= window.always_enabled & enabled & ~window.ran;
    window.waits_for &= ~set_of(thread_actor(thread));
    window.always_enabled = enabled;
    window.ran = 0;
  }

 private:
  struct Window {
    ActorSet always_enabled = 0;  // at first, so that the first yield has nobody to wait for
    ActorSet ran = 0;
    ActorSet waits_for = 0;
  };
  std::size_t threads_;
  std::array<Window, most_threads> windows_{};
};

}  // namespace weft::model
