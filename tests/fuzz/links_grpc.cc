// SPDX-License-Identifier: Apache-2.0
// Fuzzed: links over gRPC, as a client meets it: the whole server with its threads in this process,
// over a socket. Each status is the one that the contract has for the call, and nothing is stored
// but what was acknowledged.
#include <stdlib.h>
#include <unistd.h>

#include "links/grpc_oracle.h"
#include "links/records.h"
#include "property.h"

namespace weft::fuzz {
namespace {

struct Everything {
  Everything() {
    // One worker takes calls in the order of their arrival.
    ::setenv("CPU_LIMIT", "1", 1);
    house.emplace(LogFormat::text, address);
    client.emplace(address);
  }
  ~Everything() {
    client.reset();
    house.reset();
    ::unlink(address.c_str() + std::string_view("unix:").size());
  }
  const std::string address = "unix:/tmp/weft-fuzz-" + std::to_string(::getpid()) + ".socket";
  std::optional<House> house;
  std::optional<GrpcClient> client;
};

void describe(const CallText& call, const CallReply& reply) {
  under_way = call.method;
  for (const auto& [name, value] : call.metadata) under_way += "\n" + name + ": " + value;
  for (const std::string& message : call.messages) under_way += "\n" + message;
  under_way += "\n--\n" + std::to_string(reply.status.error_code()) + " " +
               reply.status.error_message() + "\n";
}

}  // namespace

void try_input(std::string_view input) {
  static Everything all;
  all.house->clear();
  Model model;
  GrpcOracle oracle(*all.house, *all.client, model);
  for (const std::string& record : read_records(input)) {
    Choices choices(record);
    const CallText call = call_text(choices);
    const CallReply reply = all.client->call(call);
    describe(call, reply);
    oracle.check(call, reply);
  }
}

}  // namespace weft::fuzz
