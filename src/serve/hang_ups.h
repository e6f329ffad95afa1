// SPDX-License-Identifier: Apache-2.0
// HangUps: a thread that learns which clients have gone, and tells their handlers.
//
// For servers whose own threads do not look at a connection while its handler runs: it is the
// connection's thread or fiber that runs it, or Asio's loop, which hears of more to read, but of no
// end behind it. A reactor sees for itself.
//
// Invariant: an event is told to the connection that it is of. It carries a number that no other
// connection ever has; a socket's number may be another's by then.
//
// Rejected: a fiber, or a coroutine, that waits for the same. A handler that blocks its worker, or
// computes, would keep it from telling anybody.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "os/file.h"
#include "serve/handler_token.h"

namespace weft::serve {

class HangUps {
 public:
  // Ends the process where there is no descriptor left.
  HangUps();
  ~HangUps();
  HangUps(const HangUps&) = delete;
  HangUps& operator=(const HangUps&) = delete;

  // Throws std::system_error where there is no thread to be had.
  void start();

  // What happens to the socket from now on is our own doing, and tells nobody anything.
  void forget(int socket) noexcept;

  // As long as it lives, the socket is watched. It goes before the socket is closed, and before
  // what watches.
  class [[nodiscard]] Watch {
   public:
    // Throws std::bad_alloc, also where there is no room in epoll.
    Watch(HangUps& hang_ups, int socket, std::shared_ptr<HandlerToken> handler);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    HangUps& hang_ups_;
    const int socket_;
    std::uint64_t number_ = 0;
  };

 private:
  void run();
  void tell(std::uint64_t number) noexcept;

  const os::Descriptor epoll_;
  const os::Descriptor end_;
  std::thread thread_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::uint64_t last_number_ = 0;
  std::unordered_map<std::uint64_t, std::shared_ptr<HandlerToken>> handlers_;
};

}  // namespace weft::serve
