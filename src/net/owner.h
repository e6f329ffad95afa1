// SPDX-License-Identifier: Apache-2.0
// OwnerWord: whose a connection is, the reactor's or a worker's. See src/serve/DESIGN.md.
//
//   state             whose          what happens                            next state
//   reactor           the reactor's  give_to_worker()                        worker
//   worker            a worker's     give_back() says true                   reactor
//   worker            a worker's     take_news() says false                  worker_with_news
//   worker_with_news  a worker's     give_back() says false, and it posts;
//                                    take_back() upon the post               reactor
//
// Invariants: there is one owner; news that come while it is a worker's end in a post.
#pragma once

#include <cstdint>

#include "base/atomic.h"

namespace weft::net {

class OwnerWord {
 public:
  // For the reactor, upon news. False: it is a worker's, who will post it.
  bool take_news() noexcept {
    Owner owner = owner_.load(std::memory_order_acquire);
    while (owner != Owner::reactor) {
      // Pairs with give_back(): either it sees the news, or we see that it has given it back.
      if (owner_.compare_exchange_weak(owner, Owner::worker_with_news, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
        return false;
      }
    }
    return true;
  }
  // For the reactor, before it submits, which publishes what it has written.
  void give_to_worker() noexcept { owner_.store(Owner::worker, std::memory_order_relaxed); }
  // For the reactor, upon a post, or where it could not submit.
  void take_back() noexcept { owner_.store(Owner::reactor, std::memory_order_relaxed); }
  bool is_with_worker() const noexcept {
    return owner_.load(std::memory_order_acquire) != Owner::reactor;  // pairs with give_back()
  }

  // For the worker, as the last thing it does with it. False: there are news, and it must be
  // posted.
  bool give_back() noexcept {
    Owner owner = Owner::worker;
    return owner_.compare_exchange_strong(owner, Owner::reactor, std::memory_order_acq_rel);
  }

 private:
  enum class Owner : std::uint32_t { reactor, worker, worker_with_news };
  atomic<Owner> owner_{Owner::reactor};
};

}  // namespace weft::net
