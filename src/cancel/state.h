// SPDX-License-Identifier: Apache-2.0
// State: what a source and its tokens share.
#pragma once

#include <weft/cancel.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <stop_token>

#include "base/atomic.h"

namespace weft::cancel {

inline constexpr std::size_t not_kept = std::numeric_limits<std::size_t>::max();

struct State {
  using Instant = CancelToken::Instant;

  // False: it was before.
  bool cancel(CancelReason why) noexcept;

  // What stops the parent. Destroyed with the source, before which it may be running.
  struct Follow {
    State* child;
    std::shared_ptr<const State> parent;
    void operator()() const noexcept;
  };

  Instant deadline = Instant::max();
  atomic<CancelReason> reason{CancelReason::none};
  std::stop_source stop;
  std::optional<std::stop_callback<Follow>> follow;  // the source's own
  std::size_t timer_index = not_kept;                // guarded by the timers' lock
};

}  // namespace weft::cancel
