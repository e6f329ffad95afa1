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

inline bool is_on_weft() {
  const char* const wanted = std::getenv("WEFT_TEST_GRPC_TRANSPORT");
  return wanted != nullptr && std::string_view(wanted) == "weft";
}

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
