// SPDX-License-Identifier: Apache-2.0
// Clients that read slowly: each has a connection and a stream, and a time for its next message.
#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <weft_bench_grpc_protos/echo.grpc.pb.h>
#include "own_connection.h"
#include "sides.h"

namespace weft::bench_grpc {
namespace {

using Clock = std::chrono::system_clock;  // an alarm's
using grpc_bench::Line;
using grpc_bench::Spring;

struct Reader {
  explicit Reader(std::unique_ptr<Spring::Stub> own) : stub(std::move(own)) {}

  std::unique_ptr<Spring::Stub> stub;
  ::grpc::ClientContext context{};
  std::unique_ptr<::grpc::ClientAsyncReader<Line>> stream{};
  ::grpc::Alarm alarm{};
  Line message{};
  std::uint64_t bytes = 0;
  Clock::time_point begun{};
  bool is_waiting = true;  // for its time, or for the stream to begin; else a message
};

// When as much may have been read as has been.
Clock::time_point next_of(const Reader& reader, std::uint32_t bytes_per_second) {
  const std::chrono::duration<double> due(static_cast<double>(reader.bytes) / bytes_per_second);
  return reader.begun + std::chrono::duration_cast<Clock::duration>(due);
}

}  // namespace

ReadersResult run(const Readers& readers) {
  ::grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<Reader>> all;
  Line request;
  request.set_text(std::string(readers.message_bytes, 'x'));
  for (std::uint32_t i = 0; i < readers.clients; ++i) {
    Reader& reader = *all.emplace_back(
        std::make_unique<Reader>(Spring::NewStub(own_connection(readers.address))));
    reader.begun = Clock::now();
    reader.stream = reader.stub->AsyncPour(&reader.context, request, &queue, &reader);
  }
  ReadersResult result;
  const Clock::time_point end = Clock::now() + readers.duration;
  void* tag = nullptr;
  bool is_ok = false;
  for (std::size_t under_way = all.size(); under_way != 0;) {
    queue.Next(&tag, &is_ok);
    Reader& reader = *static_cast<Reader*>(tag);
    const Clock::time_point now = Clock::now();
    if (!is_ok || now >= end) {
      if (!is_ok) ++result.failed;
      reader.context.TryCancel();
      --under_way;
      continue;
    }
    if (!std::exchange(reader.is_waiting, false)) {
      reader.bytes += reader.message.text().size();
      if (const auto next = next_of(reader, readers.bytes_per_second); next > now) {
        reader.is_waiting = true;
        reader.alarm.Set(&queue, std::min(next, end), &reader);
        continue;
      }
    }
    reader.stream->Read(&reader.message, &reader);
  }
  const double seconds = std::chrono::duration<double>(readers.duration).count();
  result.slowest_per_second = static_cast<double>(all.front()->bytes) / seconds;
  for (const auto& reader : all) {
    const double rate = static_cast<double>(reader->bytes) / seconds;
    result.bytes_per_second += rate;
    result.slowest_per_second = std::min(result.slowest_per_second, rate);
  }
  // A stream wants its end taken before it goes.
  std::vector<::grpc::Status> statuses(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i]->stream->Finish(&statuses[i], all[i].get());
  for (std::size_t i = 0; i < all.size(); ++i) queue.Next(&tag, &is_ok);
  return result;
}

}  // namespace weft::bench_grpc
