// SPDX-License-Identifier: Apache-2.0
// Health: grpc.health.v1 on the server's own workers.
//
// "" is readiness, "liveness" is liveness, and each service has its own name. After drain() all but
// liveness are NOT_SERVING, and stay so: an orchestrator sends no more, and kills nothing.
#pragma once

#include <weft/coroutine_sync.h>
#include <weft/grpc_server.h>

#include <list>
#include <map>
#include <mutex>
#include <string>

#include <weft_grpc_protos/health.grpc.pb.h>

namespace weft::grpc {

class Health {
 public:
  using Request = ::grpc::health::v1::HealthCheckRequest;
  using Response = ::grpc::health::v1::HealthCheckResponse;

  void add_to(Server& server);
  void set(const std::string& service, bool is_serving);
  void drain();
  // Ends those who watch: they would keep the server from ending.
  void close();

 private:
  class Watcher;
  using Watchers = std::list<Channel<bool>*>;

  Answer check(const Request& request, Response& response);
  Answer watch(const Request& request, Writer<Response>& writer);
  Response::ServingStatus status_of(const std::string& service) const;
  void tell_all();

  ::grpc::health::v1::Health::AsyncService service_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::map<std::string, bool> serving_{{"", true}, {"liveness", true}};
  Watchers watchers_;
  bool is_drained_ = false;
  bool is_closed_ = false;
};

}  // namespace weft::grpc
