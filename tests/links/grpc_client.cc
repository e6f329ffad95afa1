// SPDX-License-Identifier: Apache-2.0
// Calls weft.links.v1.Links as lines of JSON say, one after another, and answers with lines of
// JSON.
//
//   grpc_client ADDRESS
//   < {"method": "Get", "message": "{\"key\": \"a\"}", "deadline_ms": 1000, "metadata": {}}
//   > {"status": "NOT_FOUND", "text": "…", "messages": []}
#include <google/protobuf/util/json_util.h>
#include <grpcpp/create_channel.h>
#include <links_protos/links.grpc.pb.h>

#include <array>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using nlohmann::json;
using weft::links::v1::Links;

constexpr std::array names{
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

json object_of(const google::protobuf::Message& message) {
  std::string text;
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  if (!MessageToJsonString(message, &text, options).ok()) text = "null";
  return json::parse(text);
}

template <class Message>
Message message_of(const json& line) {
  Message message;
  const auto status =
      google::protobuf::util::JsonStringToMessage(line.at("message").get<std::string>(), &message);
  if (!status.ok()) throw std::invalid_argument(status.ToString());
  return message;
}

class Caller {
 public:
  Caller(const std::string& address, json& messages)
      : stub_(Links::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()))),
        messages_(messages) {}

  grpc::Status call(const json& line) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::milliseconds(line.at("deadline_ms").get<int>()));
    for (const auto& [name, value] : line.at("metadata").items()) {
      context.AddMetadata(name, value.get<std::string>());
    }
    const std::string method = line.at("method");
    if (method == "Create") return unary(&Links::Stub::Create, context, line);
    if (method == "Get") return unary(&Links::Stub::Get, context, line);
    if (method == "Delete") return unary(&Links::Stub::Delete, context, line);
    if (method == "Resolve") return unary(&Links::Stub::Resolve, context, line);
    if (method != "List") throw std::invalid_argument("there is no method " + method);
    const auto reader = stub_->List(&context, message_of<weft::links::v1::ListRequest>(line));
    weft::links::v1::Link link;
    while (reader->Read(&link)) messages_.push_back(object_of(link));
    return reader->Finish();
  }

 private:
  template <class In, class Out>
  grpc::Status unary(grpc::Status (Links::Stub::*method)(grpc::ClientContext*, const In&, Out*),
                     grpc::ClientContext& context, const json& line) {
    Out response;
    const grpc::Status status = ((*stub_).*method)(&context, message_of<In>(line), &response);
    if (status.ok()) messages_.push_back(object_of(response));
    return status;
  }

  const std::unique_ptr<Links::Stub> stub_;
  json& messages_;
};

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "usage: grpc_client ADDRESS\n";
    return 2;
  }
  json messages = json::array();
  Caller caller(words[1], messages);
  for (std::string line; std::getline(std::cin, line);) {
    messages.clear();
    json said;
    try {
      const grpc::Status status = caller.call(json::parse(line));
      said = {{"status", names.at(static_cast<std::size_t>(status.error_code()))},
              {"text", status.error_message()},
              {"messages", messages}};
    } catch (const std::exception& error) {
      said = {{"status", "client"}, {"text", error.what()}, {"messages", json::array()}};
    }
    std::cout << said.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
  }
}
