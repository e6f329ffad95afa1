// SPDX-License-Identifier: Apache-2.0
// State: what a source and its tokens share.
#pragma once

#include <weft/cancel.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/atomic.h"

namespace weft::cancel {

inline constexpr Ambient<CancelToken> current_cancellation("cancellation");

inline constexpr std::size_t not_kept = std::numeric_limits<std::size_t>::max();

struct State : std::enable_shared_from_this<State> {
  using Instant = CancelToken::Instant;

  State() = default;
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // False: it was before.
  bool cancel(CancelReason why) noexcept;

  // What stops the parent. Goes first, and waits for itself, should it be running.
  struct Follow {
    State* child;
    std::shared_ptr<const State> parent;
    void operator()() const noexcept;
  };

  Instant deadline = Instant::max();
  atomic<CancelReason> reason{CancelReason::none};
  std::stop_source stop;
  bool is_timed = false;               // written before it is shared
  std::size_t timer_index = not_kept;  // guarded by the timers' lock
  std::optional<std::stop_callback<Follow>> follow;
};

}  // namespace weft::cancel
