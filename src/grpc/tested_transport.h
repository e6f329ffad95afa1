// SPDX-License-Identifier: Apache-2.0
// Which transport the tests of this process are about: ctest runs all of them with each.
#pragma once

#include <weft/grpc_server.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "grpc/epoll_poller.h"

namespace weft::grpc {

inline constexpr const char* transport_variable = "WEFT_TEST_GRPC_TRANSPORT";

inline bool is_on_weft() {
  const char* const wanted = std::getenv(transport_variable);
  return wanted != nullptr && std::string_view(wanted) == "weft";
}

// As long as it lives the tests are about this one: what they ask only it can do.
class Only {
 public:
  explicit Only(Transport transport) : was_on_weft_(is_on_weft()) {
    set(transport == Transport::weft);
  }
  ~Only() { set(was_on_weft_); }
  Only(const Only&) = delete;
  Only& operator=(const Only&) = delete;

 private:
  static void set(bool is_weft) { ::setenv(transport_variable, is_weft ? "weft" : "grpc", 1); }
  const bool was_on_weft_;
};

inline ServerOptions on_tested_transport(ServerOptions options) {
  options.transport = is_on_weft() ? Transport::weft : Transport::grpc;
  return options;
}

// A queue as workers have them.
class TestedQueue {
 public:
  QueueContext& operator*() noexcept { return *queue_; }
  QueueContext* operator->() noexcept { return queue_.get(); }

 private:
  const std::unique_ptr<EpollPoller> poller_ =
      is_on_weft() ? std::make_unique<EpollPoller>() : nullptr;
  const std::unique_ptr<QueueContext> queue_ =
      is_on_weft() ? std::make_unique<QueueContext>(*poller_)
                   : std::make_unique<QueueContext>(std::make_unique<::grpc::CompletionQueue>());
};

}  // namespace weft::grpc
