// SPDX-License-Identifier: Apache-2.0
// HandlerToken: how the handler of a connection's request is told to stop, by whoever watches the
// connection meanwhile.
//
// What is told while no handler runs is told to the next one when it begins: a client may go while
// its request waits for a worker.
#pragma once

#include <weft/cancel.h>

#include <mutex>
#include <utility>

#include "os/spin_lock.h"

namespace weft::serve {

class HandlerToken {
 public:
  // For any thread. The first reason counts, and stays for as long as the connection does.
  void tell(CancelReason reason) noexcept {
    Canceller canceller;
    {
      const std::scoped_lock guard(lock_);
      if (told_ == CancelReason::none) told_ = reason;
      canceller = canceller_;
    }
    canceller.cancel(reason);
  }

  // Runs the handler with what is told as its cancellation(). One at a time.
  template <class Handler>
  void run(Handler handler) {
    CancelSource source;
    const auto put = [this](Canceller canceller) {
      const std::scoped_lock guard(lock_);
      std::swap(canceller_, canceller);
      return told_;
    };
    if (const CancelReason told = put(source.canceller()); told != CancelReason::none) {
      source.cancel(told);
    }
    struct Taken {
      const decltype(put)& take_off;
      ~Taken() { take_off({}); }
    } const taken{put};
    const auto guard = set_cancellation(source.token());
    handler();
  }

 private:
  os::SpinLock lock_;
  // Guarded by lock_.
  Canceller canceller_;  // of the handler under way
  CancelReason told_ = CancelReason::none;
};

}  // namespace weft::serve
