// SPDX-License-Identifier: Apache-2.0
// The service over gRPC: weft.links.v1.Links, of links.proto.
#pragma once

#include <weft/service.h>

#include <memory>

#include "store.h"

namespace links {

class GrpcFace {
 public:
  // While the service is built. It lives as long as the service's gRPC server.
  GrpcFace(weft::service::Service& service, Store& store);
  ~GrpcFace();

 private:
  class Handlers;
  std::unique_ptr<Handlers> handlers_;
};

}  // namespace links
