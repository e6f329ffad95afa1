// SPDX-License-Identifier: Apache-2.0
// EpollPoller: where a queue's thread waits for sockets, for timers, and for others who ring.
//
// A round: epoll says which sockets are ready, and each is told; then the timers that are due; then
// whoever follows the rounds, who sees to all that has come. When the thread has done what this led
// to, the round is finished: what was written is sent.
#pragma once

#include <weft/grpc_queue.h>

#include <cstdint>

#include "grpc/timers.h"
#include "os/file.h"

namespace weft::grpc {

class EpollPoller final : public Poller {
 public:
  // A socket's owner. Not freed before the round is finished in which it is forgotten.
  class Watched {
   public:
    virtual void on_ready(std::uint32_t events) = 0;

   protected:
    Watched() = default;
    ~Watched() = default;
    Watched(const Watched&) = default;
    Watched& operator=(const Watched&) = default;
  };
  class Follower {
   public:
    virtual void see_to_all() = 0;
    // True: there is more to do at once.
    virtual bool finish_round() = 0;

   protected:
    Follower() = default;
    ~Follower() = default;
    Follower(const Follower&) = default;
    Follower& operator=(const Follower&) = default;
  };

  EpollPoller();

  // None: nobody does.
  void follow(Follower* follower) noexcept { follower_ = follower; }

  // Nothing: errno says why.
  bool watch(int descriptor, std::uint32_t events, Watched& watched) noexcept;
  void change(int descriptor, std::uint32_t events, Watched& watched) noexcept;
  void forget(int descriptor) noexcept;

  // When this round began to see to what has come.
  Instant now() const noexcept { return now_; }
  // How long what has come may have waited meanwhile: the thread was busy, and did not look.
  std::chrono::nanoseconds lateness() const noexcept { return lateness_; }

  bool finish_round() override { return follower_ != nullptr && follower_->finish_round(); }
  bool poll(Instant until) override;
  void set(Timer& timer, Instant at) override { timers_.set(timer, at); }
  void cancel(Timer& timer) noexcept override { timers_.cancel(timer); }
  void ring() noexcept override;

 private:
  const os::Descriptor epoll_;
  const os::Descriptor bell_;
  Follower* follower_ = nullptr;
  Timers timers_;
  Instant now_ = Instant::clock::now();
  std::chrono::nanoseconds lateness_{};
};

}  // namespace weft::grpc
