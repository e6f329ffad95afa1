// SPDX-License-Identifier: Apache-2.0
// The fork generation: by it an object finds out that its waiters did not come along into the
// child.
//
// fork() copies an object with the threads that wait for it, and maybe with a queue lock that is
// held; but those threads do not exist in the child, and handlers of pthread_atfork() unlock there
// what they locked in the parent. So wherever a word says that somebody waits, or that the queue is
// locked, it also says in which generation; a word of another one has no waiters. libc's
// pthread_once does the same. An object that nobody waits for carries no generation.
#pragma once

#include <cstdint>

#include "base/atomic.h"

namespace weft::sync {

// How many bits of it an object keeps.
inline constexpr unsigned generation_bits = 24;

// How deep below the first process we are; changed only while there is one thread.
inline constinit atomic<std::uint32_t> fork_generation{0};

inline std::uint32_t generation() noexcept {
  return fork_generation.load(std::memory_order_relaxed);
}

// To be called in the child of a fork before anything else in this folder.
void after_fork_in_child() noexcept;

}  // namespace weft::sync
