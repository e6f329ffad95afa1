// SPDX-License-Identifier: Apache-2.0
// thread_moment(): what time it is, and how HTTP writes that, cheaply.
#pragma once

#include "serve/exchange.h"

namespace weft::serve {

// The text is the calling thread's, and as it is until the next call there.
Moment thread_moment() noexcept;

}  // namespace weft::serve
