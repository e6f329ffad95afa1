// SPDX-License-Identifier: Apache-2.0
// Strategy: makes the choices of one schedule after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/model.h"

namespace weft::model {

// Who can be chosen: thread i is i, its store buffer is most_threads + i, and the deadline of its
// wait 2 * most_threads + i.
using Actor = std::uint8_t;
inline constexpr std::size_t most_actors = 3 * most_threads;
constexpr Actor thread_actor(std::size_t thread) noexcept {
  return static_cast<Actor>(thread);
}
constexpr Actor buffer_actor(std::size_t thread) noexcept {
  return static_cast<Actor>(most_threads + thread);
}
constexpr Actor deadline_actor(std::size_t thread) noexcept {
  return static_cast<Actor>(2 * most_threads + thread);
}
constexpr bool is_thread(Actor actor) noexcept {
  return actor < most_threads;
}
constexpr bool is_deadline(Actor actor) noexcept {
  return actor >= 2 * most_threads;
}
constexpr std::size_t thread_of(Actor actor) noexcept {
  return actor % most_threads;
}

class Strategy {
 public:
  virtual ~Strategy() = default;

  // Prepares for the next schedule; false: there is none.
  virtual bool begin() = 0;

  // Picks one of two or more actors, by position. `may_continue`: the first is the thread that has
  // the turn, and did not yield. None: these cannot be the actors, the program is another one.
  virtual std::optional<std::size_t> choose_actor(std::span<const Actor> actors,
                                                  bool may_continue) = 0;

  // Picks one of two or more waiters to be woken.
  virtual std::optional<std::size_t> choose_waiter(std::size_t count) = 0;

  // The thread spins; or the deadline is over, and the thread's next one may be as soon over again.
  virtual void yielded(Actor) {}

  // The seed that alone describes the present schedule.
  virtual std::optional<std::uint64_t> seed() const { return std::nullopt; }

  // begin() has said false because every schedule was made.
  virtual bool complete() const { return false; }
};

std::unique_ptr<Strategy> make_random_strategy(const Options& options);
std::unique_ptr<Strategy> make_exhaustive_strategy(const Options& options);
std::unique_ptr<Strategy> make_replay_strategy(std::vector<std::uint8_t> choices);

}  // namespace weft::model
