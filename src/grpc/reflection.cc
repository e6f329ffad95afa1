// SPDX-License-Identifier: Apache-2.0
// What a client without our .proto files asks: which services there are, and how they look.
#include "grpc/reflection.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <vector>

namespace weft::grpc {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

// With all that it imports, each once.
void add_file(const FileDescriptor& file, std::set<std::string>& added,
              ::grpc::reflection::v1alpha::FileDescriptorResponse& response) {
  if (!added.insert(file.name()).second) return;
  google::protobuf::FileDescriptorProto proto;
  file.CopyTo(&proto);
  response.add_file_descriptor_proto(proto.SerializeAsString());
  for (int i = 0; i < file.dependency_count(); ++i) add_file(*file.dependency(i), added, response);
}

const FileDescriptor* file_of(const Reflection::Request& request) {
  const DescriptorPool& pool = *DescriptorPool::generated_pool();
  if (request.has_file_by_filename()) return pool.FindFileByName(request.file_by_filename());
  if (request.has_file_containing_symbol()) {
    return pool.FindFileContainingSymbol(request.file_containing_symbol());
  }
  const auto& wanted = request.file_containing_extension();
  const auto* const type = pool.FindMessageTypeByName(wanted.containing_type());
  if (type == nullptr) return nullptr;
  const FieldDescriptor* const extension =
      pool.FindExtensionByNumber(type, wanted.extension_number());
  return extension == nullptr ? nullptr : extension->file();
}

void refuse(Reflection::Response& response, ::grpc::StatusCode code, const char* why) {
  response.mutable_error_response()->set_error_code(code);
  response.mutable_error_response()->set_error_message(why);
}

void list_extensions(const std::string& name, Reflection::Response& response) {
  const DescriptorPool& pool = *DescriptorPool::generated_pool();
  const auto* const type = pool.FindMessageTypeByName(name);
  if (type == nullptr) return refuse(response, ::grpc::StatusCode::NOT_FOUND, "no such type");
  std::vector<const FieldDescriptor*> extensions;
  pool.FindAllExtensions(type, &extensions);
  auto& numbers = *response.mutable_all_extension_numbers_response();
  numbers.set_base_type_name(name);
  for (const FieldDescriptor* const extension : extensions) {
    numbers.add_extension_number(extension->number());
  }
}

}  // namespace

void Reflection::add_to(Server& server) {
  using Service = ::grpc::reflection::v1alpha::ServerReflection::AsyncService;
  server.stream(service_, &Service::RequestServerReflectionInfo,
                [this](Call&, Reader<Request>& reader, Writer<Response>& writer) {
                  return talk(reader, writer);
                },
                {.asks_admission = false});
}

Answer Reflection::talk(Reader<Request>& reader, Writer<Response>& writer) {
  while (const auto request = co_await reader.read()) {
    Response response;
    answer(*request, response);
    co_await writer.write(response);
  }
  co_return ::grpc::Status::OK;
}

void Reflection::answer(const Request& request, Response& response) const {
  response.set_valid_host(request.host());
  *response.mutable_original_request() = request;
  switch (request.message_request_case()) {
    case Request::kListServices:
      for (const std::string& name : services_) {
        response.mutable_list_services_response()->add_service()->set_name(name);
      }
      return;
    case Request::kAllExtensionNumbersOfType:
      return list_extensions(request.all_extension_numbers_of_type(), response);
    case Request::MESSAGE_REQUEST_NOT_SET:
      return refuse(response, ::grpc::StatusCode::INVALID_ARGUMENT, "nothing was asked");
    default:
      break;
  }
  const FileDescriptor* const file = file_of(request);
  if (file == nullptr) return refuse(response, ::grpc::StatusCode::NOT_FOUND, "no such file");
  std::set<std::string> added;
  add_file(*file, added, *response.mutable_file_descriptor_response());
}

}  // namespace weft::grpc
