// SPDX-License-Identifier: Apache-2.0
// Those who are to be told, and whose lock was held: tried again until it is not.
#include <pthread.h>
#include <weft/cancel_wait.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "os/signal_mask.h"

namespace weft::cancel {

// A lock that is held for long is tried a thousand times a second: few are.
constexpr auto between_tries = std::chrono::milliseconds(1);

// The process's. Its lock is held while one is tried, which takes no time: so end() is an end.
class Wakes {
 public:
  static Wakes& shared() {
    static auto* const wakes = new Wakes;  // its thread runs until the process ends
    return *wakes;
  }

  void begin(Wake& wake) noexcept {
    const std::scoped_lock guard(mutex_);
    if (wake.is_begun_ || wake.try_to_tell()) return;
    wake.is_begun_ = true;
    wake.next_ = first_;
    first_ = &wake;
    if (!thread_.joinable()) {
      const os::SignalMask blocked;  // the thread's from its first moment
      thread_ = std::thread([this] { run(); });
    }
    added_.notify_one();
  }

  void end(Wake& wake) noexcept {
    const std::scoped_lock guard(mutex_);
    for (Wake** at = &first_; *at != nullptr; at = &(*at)->next_) {
      if (*at != &wake) continue;
      *at = wake.next_;
      return;
    }
  }

 private:
  void run() {
    ::pthread_setname_np(::pthread_self(), "weft-wakes");
    std::unique_lock guard(mutex_);
    for (;;) {
      if (first_ == nullptr) {
        added_.wait(guard);
      } else {
        added_.wait_for(guard, between_tries);
      }
      for (Wake** at = &first_; *at != nullptr;) {
        if ((*at)->try_to_tell()) {
          *at = (*at)->next_;
        } else {
          at = &(*at)->next_;
        }
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable added_;
  Wake* first_ = nullptr;
  std::thread thread_;
};

void Wake::begin() noexcept {
  Wakes::shared().begin(*this);
}

void Wake::end() noexcept {
  Wakes::shared().end(*this);
}

}  // namespace weft::cancel
