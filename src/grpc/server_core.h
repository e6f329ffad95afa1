// SPDX-License-Identifier: Apache-2.0
// Server::Core: what a server is built of. How it starts and ends is different for each transport.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server.h>
#include <weft/budget.h>
#include <weft/budget_watch.h>
#include <weft/grpc_server.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "grpc/crew.h"
#include "grpc/health.h"
#include "grpc/reflection.h"

namespace weft::grpc {

class Server::Core {
 public:
  explicit Core(ServerOptions options) { site_.options = std::move(options); }

  void start();
  bool shutdown(Instant deadline);

  Site site_;
  std::vector<::grpc::Service*> services_;
  Health health_;
  Reflection reflection_;
  std::vector<int> ports_;
  std::unique_ptr<Crew> crew_;  // none before start()
  std::optional<budget::Watch> watch_;
  budget::Watch::Subscription subscription_;

 private:
  // Make the crew of so many workers, and open the ports. Throw std::runtime_error.
  void start_on_grpc(const budget::Budget& budget, std::uint32_t most_workers);
  void start_on_weft(const budget::Budget& budget, std::uint32_t most_workers);
  void shutdown_on_grpc(Instant deadline);
  void shutdown_on_weft(Instant deadline);
  void cancel_on_grpc_at(Instant deadline);
  void cancel_on_weft_at(Instant deadline);
  void stop_listening(Instant deadline);

  ::grpc::AsyncGenericService unknown_;
  std::unique_ptr<::grpc::Server> server_;  // of gRPC's transport
  std::mutex mutex_;
  std::condition_variable has_ended_;
  // Guarded by mutex_.
  bool ends_ = false;
  bool is_empty_ = false;  // no call of ours is left
  bool was_cut_off_ = false;
};

}  // namespace weft::grpc
