// SPDX-License-Identifier: Apache-2.0
// An open loop: calls begin when a schedule made beforehand says so, whether or not others are
// answered. Samples are written as `weft load --samples` does.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

#include <weft_bench_grpc_protos/echo.grpc.pb.h>
#include "load/samples_text.h"
#include "load/self_check.h"
#include "load/summary.h"
#include "load/thread_usage.h"
#include "own_connection.h"
#include "sides.h"

namespace weft::bench_grpc {
namespace {

using Clock = std::chrono::steady_clock;
using grpc_bench::Echo;
using grpc_bench::Line;
using load::Outcome;
using load::Sample;

constexpr std::uint32_t channels = 8;
constexpr std::chrono::seconds longest_call{10};

struct One {
  explicit One(Sample& own) : sample(own) {}
  Sample& sample;
  ::grpc::ClientContext context;
  Line response;
  ::grpc::Status status;
  std::unique_ptr<::grpc::ClientAsyncResponseReader<Line>> reader;
};

Outcome outcome_of(const ::grpc::Status& status) {
  switch (status.error_code()) {
    case ::grpc::StatusCode::OK:
      return Outcome::good;
    case ::grpc::StatusCode::RESOURCE_EXHAUSTED:
      return Outcome::unavailable;
    case ::grpc::StatusCode::DEADLINE_EXCEEDED:
      return Outcome::timeout;
    case ::grpc::StatusCode::UNAVAILABLE:
      return Outcome::reset;
    default:
      return Outcome::server_error;
  }
}

class OpenLoop {
 public:
  OpenLoop(const OpenLoad& load, const load::Schedule& schedule)
      : samples_(schedule.starts.size()) {
    request_.set_text(load.text);
    const std::vector<std::uint16_t> phases = load::phases_of(schedule);
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      samples_[i].intended = schedule.starts[i];
      samples_[i].phase = phases[i];
    }
    for (std::uint32_t i = 0; i < channels; ++i) {
      const auto channel = own_connection(load.address);
      if (!channel->WaitForConnected(std::chrono::system_clock::now() + longest_call)) {
        throw std::runtime_error("nobody listens on " + load.address);
      }
      stubs_.push_back(Echo::NewStub(channel));
    }
  }

  // gRPC's timers are rounded up to a millisecond: it looks again and again instead.
  void run() {
    began_ = Clock::now();
    for (Sample& sample : samples_) {
      while (now() < sample.intended) take(::gpr_inf_past(GPR_CLOCK_MONOTONIC));
      begin(sample);
    }
    while (under_way_ != 0) take(::gpr_inf_future(GPR_CLOCK_MONOTONIC));
  }

  const std::vector<Sample>& samples() const noexcept { return samples_; }

 private:
  load::nanoseconds now() const { return Clock::now() - began_; }

  void begin(Sample& sample) {
    auto* const one = new One(sample);
    one->context.set_deadline(std::chrono::system_clock::now() + longest_call);
    sample.begun = sample.sent = now();
    one->reader = stubs_[next_++ % stubs_.size()]->AsyncSay(&one->context, request_, &queue_);
    one->reader->Finish(&one->response, &one->status, one);
    ++under_way_;
  }

  void take(gpr_timespec until) {
    void* tag = nullptr;
    bool is_ok = false;
    if (queue_.AsyncNext(&tag, &is_ok, until) != ::grpc::CompletionQueue::GOT_EVENT) return;
    const std::unique_ptr<One> one(static_cast<One*>(tag));
    --under_way_;
    one->sample.end = now();
    one->sample.outcome = outcome_of(one->status);
    one->sample.status = static_cast<std::uint16_t>(one->status.error_code());
  }

  Line request_;
  ::grpc::CompletionQueue queue_;
  std::vector<std::unique_ptr<Echo::Stub>> stubs_;
  std::vector<Sample> samples_;
  Clock::time_point began_;
  std::size_t next_ = 0;
  std::size_t under_way_ = 0;
};

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace

OpenLoadResult run(const OpenLoad& load) {
  const auto schedule = load::make_schedule(load.segments, load.seed);
  if (!schedule) throw std::runtime_error(schedule.error().message);
  load::set_up_thread(-1);
  OpenLoop loop(load, *schedule);
  loop.run();
  write(load.samples, load::samples_text(loop.samples(), schedule->phases));
  const load::Summary summary =
      load::summarise(loop.samples(), schedule->phases, schedule->length, longest_call);
  // It looks all the time, so what it used says nothing.
  return {
      .calls = loop.samples().size(),
      .good = summary.counts[static_cast<std::size_t>(Outcome::good)],
      .refused = summary.counts[static_cast<std::size_t>(Outcome::unavailable)],
      .void_because = load::check_open_loop(summary.slip.p99, summary.served.p99, {}).void_because};
}

}  // namespace weft::bench_grpc
