// SPDX-License-Identifier: Apache-2.0
// A call, operation by operation.
#include "links/grpc_client.h"

#include "property.h"

namespace weft::fuzz {
namespace {

void copy(const std::multimap<::grpc::string_ref, ::grpc::string_ref>& from,
          std::multimap<std::string, std::string>& to) {
  for (const auto& [name, value] : from) {
    to.emplace(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
  }
}

::grpc::ByteBuffer buffer_of(const std::string& text) {
  const ::grpc::Slice slice(text);
  return {&slice, 1};
}

std::string text_of(const ::grpc::ByteBuffer& buffer) {
  ::grpc::Slice slice;
  require(buffer.DumpToSingleSlice(&slice).ok(), "a message can be read");
  return {reinterpret_cast<const char*>(slice.begin()), slice.size()};
}

}  // namespace

GrpcClient::GrpcClient(const std::string& address)
    : channel_(::grpc::CreateChannel(address, ::grpc::InsecureChannelCredentials())),
      stub_(channel_) {
  require(channel_->WaitForConnected(std::chrono::system_clock::now() + std::chrono::minutes(1)),
          "the server is there");
}

GrpcClient::~GrpcClient() {
  queue_.Shutdown();
  void* tag = nullptr;
  bool is_ok = false;
  while (queue_.Next(&tag, &is_ok)) {
  }
}

bool GrpcClient::ends() {
  void* tag = nullptr;
  bool is_ok = false;
  require(queue_.Next(&tag, &is_ok), "an operation ends");
  return is_ok;
}

CallReply GrpcClient::call(const CallText& text) {
  CallReply reply;
  ::grpc::ClientContext context;
  if (text.time) context.set_deadline(std::chrono::system_clock::now() + *text.time);
  for (const auto& [name, value] : text.metadata) context.AddMetadata(name, value);
  const auto stream = stub_.PrepareCall(&context, text.method, &queue_);
  stream->StartCall(this);
  bool goes_on = ends();
  for (const std::string& message : text.messages) {
    if (!goes_on) break;
    stream->Write(buffer_of(message), this);
    goes_on = ends();
  }
  if (goes_on) {
    stream->WritesDone(this);
    goes_on = ends();
  }
  ::grpc::ByteBuffer buffer;
  for (;;) {
    stream->Read(&buffer, this);
    if (!ends()) break;
    reply.messages.push_back(text_of(buffer));
  }
  stream->Finish(&reply.status, this);
  ends();
  copy(context.GetServerInitialMetadata(), reply.initial);
  copy(context.GetServerTrailingMetadata(), reply.trailing);
  return reply;
}

}  // namespace weft::fuzz
