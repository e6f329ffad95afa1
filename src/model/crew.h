// SPDX-License-Identifier: Apache-2.0
// Crew: the threads that model threads run on, all carried by the one kernel thread that explores.
//
// A member is a thread of libc, with a stack and thread-local storage of its own. Its kernel thread
// leaves it for good once it has started, and sleeps; from then on the explorer's kernel thread
// goes from stack to stack, and takes the thread pointer of whoever it executes. That is the
// engine's own way to run a thread elsewhere than at home: see arch/switch.h.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "arch/switch.h"

namespace weft::model {

class Crew {
 public:
  // Whoever explores, among those who can be handed the turn: not a member.
  static constexpr std::size_t explorer = static_cast<std::size_t>(-1);

  // What member i does each time it is handed the turn while idle: runs a model thread, and answers
  // whom to hand the turn to when that has finished.
  using Job = std::function<std::size_t(std::size_t member)>;

  explicit Crew(Job job);
  // Ends the idle members. Those in the middle of a job are parked for good, see model.h.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Has at least so many members.
  void grow(std::size_t count);

  // Stops the caller, who is `from`, and lets `to` go on; returns when the turn is handed back, if
  // ever.
  void hand_over(std::size_t from, std::size_t to);

 private:
  // An execution while it is stopped.
  struct Seat {
    arch::Context context;
    void* thread_pointer = nullptr;  // not always the member's own: it may carry others itself
  };
  struct Member {
    Seat seat;
    // Owned by who has the turn.
    bool idle = true;
    bool stop = false;
    // Where the kernel thread sleeps.
    arch::Door door;
    alignas(16) std::array<std::byte, std::size_t{64} * 1024> door_stack;
    std::thread thread;
  };

  void work(Member& member, std::size_t index);
  Seat& seat_of(std::size_t who) { return who == explorer ? explorer_ : members_[who]->seat; }

  const Job job_;
  Seat explorer_;
  std::vector<std::shared_ptr<Member>> members_;
};

}  // namespace weft::model
