// SPDX-License-Identifier: Apache-2.0
// GrpcOracle: what must come of a call over gRPC, by the contract (services/links/links.proto).
#pragma once

#include <links_protos/links.pb.h>

#include <string>

#include "links/grpc_client.h"
#include "links/house.h"
#include "links/model.h"

namespace weft::fuzz {

class GrpcOracle {
 public:
  GrpcOracle(House& house, GrpcClient& client, Model& model)
      : house_(house), client_(client), model_(model) {}

  void check(const CallText& call, const CallReply& reply);

 private:
  // Whether gRPC, or the admission, has answered itself: then nothing was done.
  static bool is_answered_before(const CallText& call, const CallReply& reply);
  template <class Message>
  void check_message(const CallText& call, const CallReply& reply);

  void check_done(const weft::links::v1::CreateRequest& request, const CallReply& reply);
  void check_done(const weft::links::v1::GetRequest& request, const CallReply& reply);
  void check_done(const weft::links::v1::DeleteRequest& request, const CallReply& reply);
  void check_done(const weft::links::v1::ResolveRequest& request, const CallReply& reply);
  void check_done(const weft::links::v1::ListRequest& request, const CallReply& reply);
  bool reconcile(const weft::links::v1::CreateRequest& request);
  bool reconcile(const weft::links::v1::GetRequest&);
  bool reconcile(const weft::links::v1::DeleteRequest& request);
  bool reconcile(const weft::links::v1::ResolveRequest& request);
  bool reconcile(const weft::links::v1::ListRequest&);
  // Whatever came before on this connection is over.
  void settle();

  House& house_;
  GrpcClient& client_;
  Model& model_;
};

}  // namespace weft::fuzz
