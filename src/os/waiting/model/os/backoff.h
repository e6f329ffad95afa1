// SPDX-License-Identifier: Apache-2.0
// Backoff in the `model` preset: spinning is said to whoever schedules the thread.
#pragma once

#include "base/atomic.h"

namespace weft::os {

class Backoff {
 public:
  void pause() noexcept { base::yield(); }
};

}  // namespace weft::os
