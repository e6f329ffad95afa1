// SPDX-License-Identifier: Apache-2.0
// Health and reflection, as their clients see them.
#include "grpc/health.h"

#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include "grpc/reflection.h"
#include "grpc/test_support.h"

namespace weft::grpc {
namespace {

using namespace std::chrono_literals;
using ::grpc::ClientContext;
using ::grpc::StatusCode;
using Serving = Health::Response;

Serving::ServingStatus check(const std::shared_ptr<::grpc::Channel>& channel,
                             const std::string& service) {
  const auto stub = ::grpc::health::v1::Health::NewStub(channel);
  ClientContext context;
  Health::Request request;
  request.set_service(service);
  Health::Response response;
  const auto status = stub->Check(&context, request, &response);
  if (status.error_code() == StatusCode::NOT_FOUND) return Serving::SERVICE_UNKNOWN;
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.status();
}

TEST(Health, ReadinessGoesWhenItDrainsAndLivenessStays) {
  EchoServer server;
  const auto channel = server.channel();
  for (const char* const service : {"", "liveness", "weft.grpc_test.Echo"}) {
    EXPECT_EQ(check(channel, service), Serving::SERVING) << service;
  }
  EXPECT_EQ(check(channel, "nonsense"), Serving::SERVICE_UNKNOWN);
  server->set_serving("weft.grpc_test.Echo", false);
  EXPECT_EQ(check(channel, "weft.grpc_test.Echo"), Serving::NOT_SERVING);
  server->begin_drain();
  EXPECT_EQ(check(channel, ""), Serving::NOT_SERVING);
  EXPECT_EQ(check(channel, "liveness"), Serving::SERVING);
  server->set_serving("weft.grpc_test.Echo", true);
  EXPECT_EQ(check(channel, "weft.grpc_test.Echo"), Serving::NOT_SERVING) << "it has drained";
  EXPECT_TRUE(say(*Echo::NewStub(channel), "still here").status.ok());
}

TEST(Health, WhoWatchesIsToldOfEveryChange) {
  EchoServer server;
  const auto stub = ::grpc::health::v1::Health::NewStub(server.channel());
  ClientContext context;
  Health::Request request;
  request.set_service("db");
  const auto reader = stub->Watch(&context, request);
  Health::Response response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), Serving::SERVICE_UNKNOWN);
  server->set_serving("db", true);
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), Serving::SERVING);
  server->begin_drain();
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), Serving::NOT_SERVING);
  // It keeps nobody waiting, although it would never end by itself.
  server->shutdown(std::chrono::steady_clock::now() + 1h);
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_EQ(reader->Finish().error_code(), StatusCode::UNAVAILABLE);
}

TEST(Reflection, NamesServicesAndShowsTheirFiles) {
  EchoServer server({}, {.workers = 1, .reflection = true});
  const auto stub = ::grpc::reflection::v1alpha::ServerReflection::NewStub(server.channel());
  ClientContext context;
  const auto stream = stub->ServerReflectionInfo(&context);
  const auto ask = [&](const Reflection::Request& request) {
    Reflection::Response response;
    EXPECT_TRUE(stream->Write(request));
    EXPECT_TRUE(stream->Read(&response));
    return response;
  };
  Reflection::Request request;
  request.set_list_services("*");
  std::set<std::string> names;
  const Reflection::Response services = ask(request);
  for (const auto& service : services.list_services_response().service()) {
    names.insert(service.name());
  }
  EXPECT_EQ(names, (std::set<std::string>{"grpc.health.v1.Health",
                                          "grpc.reflection.v1alpha.ServerReflection",
                                          "weft.grpc_test.Echo"}));
  request.set_file_containing_symbol("weft.grpc_test.Echo");
  google::protobuf::FileDescriptorProto file;
  const Reflection::Response shown = ask(request);
  const auto& files = shown.file_descriptor_response();
  ASSERT_EQ(files.file_descriptor_proto_size(), 1);
  ASSERT_TRUE(file.ParseFromString(files.file_descriptor_proto(0)));
  EXPECT_EQ(file.service(0).method_size(), 4);
  request.set_file_by_filename(file.name());
  EXPECT_EQ(ask(request).file_descriptor_response().file_descriptor_proto_size(), 1);
  request.set_file_containing_symbol("no.such.Thing");
  EXPECT_EQ(ask(request).error_response().error_code(), StatusCode::NOT_FOUND);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

}  // namespace
}  // namespace weft::grpc
