// SPDX-License-Identifier: Apache-2.0
// Asks a service over gRPC, and prints what came of it: kit_client PLACE COMMAND [WORD...].
//
//   visit NAME THREADS   calls until the server is no more; prints how many were acknowledged, how
//                        many were refused for load, and how and when each thread ended; "busy" on
//                        a line when 50 were acknowledged
//   sleep MILLISECONDS   prints the code
//   throw TEXT           prints the code, and the message
//   tick                 prints the number of each tick, and the code
//   health NAME          prints the status, or the code
//   watch NAME           prints each status, and the code
//   services             prints their names, by reflection
#include <grpcpp/create_channel.h>
#include <weft_grpc_protos/health.grpc.pb.h>
#include <weft_grpc_protos/reflection.grpc.pb.h>
#include <weft_kit_protos/kit.grpc.pb.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using grpc::ClientContext;
using grpc::Status;
using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using weft::kit::Kit;
using weft::kit::Name;
using weft::kit::Total;
using weft::kit::Work;
using Words = std::vector<std::string>;

std::string place;

std::shared_ptr<grpc::Channel> channel() {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(place, grpc::InsecureChannelCredentials(), arguments);
}

void say(const std::string& line) {
  std::cout << line << std::endl;
}

int print(const Status& status) {
  say("code " + std::to_string(status.error_code()) + " " + status.error_message());
  return 0;
}

Name named(const std::string& text) {
  Name name;
  name.set_name(text);
  return name;
}

// By the clock of the machine, so that others can say what happened before and after.
std::string seconds_now() {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  return std::to_string(now.count());
}

int visit(const Words& words) {
  std::atomic<std::int64_t> acknowledged{0};
  std::atomic<std::int64_t> refused{0};
  std::mutex mutex;
  std::vector<std::string> ends;
  std::vector<std::thread> threads;
  for (int i = 0; i < std::stoi(words.at(1)); ++i) {
    threads.emplace_back([&] {
      const auto stub = Kit::NewStub(channel());
      for (std::int64_t number = 0;; ++number) {
        ClientContext context;
        Total total;
        const std::string began = seconds_now();
        const Status status = stub->Visit(&context, named(words[0]), &total);
        if (status.ok()) {
          if (++acknowledged == 50) say("busy");
          continue;
        }
        if (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED) {
          ++refused;
          continue;
        }
        const std::scoped_lock guard(mutex);
        ends.push_back("ended " + std::to_string(status.error_code()) + " began " + began +
                       " ended " + seconds_now() + " after " + std::to_string(number) +
                       " calls: " + status.error_message());
        return;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  say("acknowledged " + std::to_string(acknowledged));
  say("refused " + std::to_string(refused));
  for (const std::string& end : ends) say(end);
  return 0;
}

int sleep_there(const Words& words) {
  ClientContext context;
  Work work;
  work.set_milliseconds(std::stoi(words.at(0)));
  Total total;
  return print(Kit::NewStub(channel())->Sleep(&context, work, &total));
}

int throw_it(const Words& words) {
  ClientContext context;
  Total total;
  return print(Kit::NewStub(channel())->Throw(&context, named(words.at(0)), &total));
}

int tick(const Words&) {
  ClientContext context;
  Work work;
  work.set_milliseconds(20);
  const auto stub = Kit::NewStub(channel());
  const auto reader = stub->Tick(&context, work);
  for (Total total; reader->Read(&total);) say("tick " + std::to_string(total.number()));
  return print(reader->Finish());
}

HealthCheckRequest health_of(const Words& words) {
  HealthCheckRequest request;
  request.set_service(words.at(0));
  return request;
}

int health(const Words& words) {
  ClientContext context;
  HealthCheckResponse response;
  const Status status = Health::NewStub(channel())->Check(&context, health_of(words), &response);
  if (!status.ok()) return print(status);
  say(HealthCheckResponse::ServingStatus_Name(response.status()));
  return 0;
}

int watch(const Words& words) {
  ClientContext context;
  const auto stub = Health::NewStub(channel());
  const auto reader = stub->Watch(&context, health_of(words));
  for (HealthCheckResponse response; reader->Read(&response);) {
    say(HealthCheckResponse::ServingStatus_Name(response.status()));
  }
  return print(reader->Finish());
}

int services(const Words&) {
  namespace reflection = grpc::reflection::v1alpha;
  ClientContext context;
  const auto stub = reflection::ServerReflection::NewStub(channel());
  const auto stream = stub->ServerReflectionInfo(&context);
  reflection::ServerReflectionRequest request;
  request.set_list_services("*");
  stream->Write(request);
  reflection::ServerReflectionResponse response;
  if (stream->Read(&response)) {
    for (const auto& service : response.list_services_response().service()) say(service.name());
  }
  stream->WritesDone();
  return stream->Finish().ok() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  const std::map<std::string, std::function<int(const Words&)>> commands{
      {"visit", visit},   {"sleep", sleep_there}, {"throw", throw_it},    {"tick", tick},
      {"health", health}, {"watch", watch},       {"services", services},
  };
  const auto command = count < 3 ? commands.end() : commands.find(words[2]);
  if (command == commands.end()) {
    std::cerr << "kit_client PLACE COMMAND [WORD...]\n";
    return 2;
  }
  place = words[1];
  return command->second(Words(words + 3, words + count));
}
