// SPDX-License-Identifier: Apache-2.0
// A channel that shares its connection with no other.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

namespace weft::bench_grpc {

inline std::shared_ptr<::grpc::Channel> own_connection(const std::string& address) {
  ::grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return ::grpc::CreateCustomChannel(address, ::grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace weft::bench_grpc
