// SPDX-License-Identifier: Apache-2.0
// BlockingScope, for the thread that it is on.
#include "pool/blocker.h"

#include <weft/pool.h>

namespace weft::pool {

Blocker*& blocker_of_this_thread() noexcept {
  thread_local Blocker* blocker = nullptr;
  return blocker;
}

}  // namespace weft::pool

namespace weft {

BlockingScope::BlockingScope() noexcept {
  pool::Blocker* const blocker = pool::blocker_of_this_thread();
  if (blocker != nullptr && blocker->depth++ == 0) blocker->block();
}

BlockingScope::~BlockingScope() {
  pool::Blocker* const blocker = pool::blocker_of_this_thread();
  if (blocker != nullptr && --blocker->depth == 0) blocker->unblock();
}

}  // namespace weft
