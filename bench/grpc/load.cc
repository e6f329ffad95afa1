// SPDX-License-Identifier: Apache-2.0
// A closed loop: so many calls under way on each channel, and the next when one is answered.
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <memory>
#include <vector>

#include <weft_bench_grpc_protos/echo.grpc.pb.h>
#include "measure/histogram.h"
#include "own_connection.h"
#include "sides.h"

namespace weft::bench_grpc {
namespace {

using Clock = std::chrono::steady_clock;
using grpc_bench::Echo;
using grpc_bench::Line;

struct One {
  explicit One(Echo::Stub& own) : stub(own) {}

  Echo::Stub& stub;
  std::unique_ptr<::grpc::ClientContext> context;
  Line response;
  ::grpc::Status status;
  std::unique_ptr<::grpc::ClientAsyncResponseReader<Line>> reader;
  Clock::time_point begun;

  void begin(const Line& request, ::grpc::CompletionQueue& queue) {
    context = std::make_unique<::grpc::ClientContext>();
    begun = Clock::now();
    reader = stub.AsyncSay(context.get(), request, &queue);
    reader->Finish(&response, &status, this);
  }
};

}  // namespace

LoadResult run(const Load& load) {
  ::grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<Echo::Stub>> stubs;
  std::vector<std::unique_ptr<One>> all;
  Line request;
  request.set_text(load.text);
  for (std::uint32_t i = 0; i < load.channels; ++i) {
    const auto channel = own_connection(load.address);
    // The clock begins when all are there; who is not will fail its calls, and be counted.
    channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(10));
    stubs.push_back(Echo::NewStub(channel));
    for (std::uint32_t j = 0; j < load.outstanding; ++j) {
      all.push_back(std::make_unique<One>(*stubs.back()));
    }
  }
  measure::Histogram times;
  LoadResult result;
  const Clock::time_point counted_from = Clock::now() + load.warm_up;
  const Clock::time_point end = counted_from + load.duration;
  for (const auto& one : all) one->begin(request, queue);
  void* tag = nullptr;
  bool is_ok = false;
  for (std::size_t under_way = all.size(); under_way != 0;) {
    queue.Next(&tag, &is_ok);
    One& one = *static_cast<One*>(tag);
    const Clock::time_point now = Clock::now();
    if (now >= counted_from && now < end) {
      ++(one.status.ok() ? result.calls : result.failed);
      times.record(now - one.begun);
    }
    if (now < end && one.status.ok()) {
      one.begin(request, queue);
    } else {
      --under_way;
    }
  }
  const measure::Snapshot snapshot = times.snapshot();
  result.calls_per_second =
      static_cast<double>(result.calls) / std::chrono::duration<double>(load.duration).count();
  result.p50 = snapshot.quantile(0.5);
  result.p99 = snapshot.quantile(0.99);
  return result;
}

bool answers(const std::string& address) {
  const auto stub =
      Echo::NewStub(::grpc::CreateChannel(address, ::grpc::InsecureChannelCredentials()));
  ::grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  Line request;
  Line response;
  request.set_text("hello");
  const ::grpc::Status status = stub->Say(&context, request, &response);
  if (status.ok() && response.text() == request.text()) return true;
  std::fprintf(stderr, "%s answers %d %s '%s'\n", address.c_str(),
               static_cast<int>(status.error_code()), status.error_message().c_str(),
               response.text().c_str());
  return false;
}

}  // namespace weft::bench_grpc
