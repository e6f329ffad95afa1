// SPDX-License-Identifier: Apache-2.0
// Worker: a completion queue, and the calls of it: those that are armed, and those that have begun.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <weft/grpc_server.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/atomic.h"
#include "measure/histogram.h"

namespace weft::grpc {

// What all workers share, and only read while they run.
struct Site {
  ServerOptions options;
  std::vector<std::unique_ptr<Method>> methods;
  atomic<bool> is_shut_down{false};  // calls that end now do so because of that
};

// Written by the worker alone, read by whoever asks.
struct WorkerCounters {
  static constexpr std::size_t codes = 17;
  atomic<std::uint64_t> started{0};
  atomic<std::uint64_t> thrown{0};
  atomic<std::uint64_t> armed{0};
  using Finished = std::array<atomic<std::uint64_t>, codes>;
  explicit WorkerCounters(std::size_t methods) : finished(methods + 1) {}
  std::vector<Finished> finished;  // of each method, and of those that are unknown
  measure::Histogram durations;
  mutable std::mutex mutex;
  std::map<const char*, std::uint64_t> refused;  // guarded by the mutex
};

// One more, or one less, where nobody else writes.
inline void add(atomic<std::uint64_t>& counter, std::uint64_t number) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + number, std::memory_order_relaxed);
}

class Worker final : private Timetable {
 public:
  Worker(const Site& site, std::unique_ptr<::grpc::ServerCompletionQueue> completions);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  QueueContext& queue() noexcept { return queue_; }
  const WorkerCounters& counters() const noexcept { return counters_; }

  // Before it runs: it answers the calls of unknown methods, too.
  void answer_unknown(::grpc::AsyncGenericService& service) noexcept { unknown_ = &service; }

  // For the worker's thread: arms requests, and replaces those that are taken; or no longer does.
  void begin_arming();
  void stop_arming() noexcept;
  void cancel_all(CancelReason reason);

 private:
  friend class Call;
  friend class UnknownCall;

  // What is known of the calls of one method.
  struct Line {
    Method* method;
    std::uint32_t armed = 0;
    std::vector<std::unique_ptr<Call>> idle;
  };
  // Calls that have begun, in that order.
  struct Calls {
    Call* newest = nullptr;
    Call* oldest = nullptr;
    void add(Call& call) noexcept;
    void remove(Call& call) noexcept;
  };
  Instant next() const noexcept override;
  void see_to(Instant now) override;

  void arm_one(std::size_t line);
  // What was armed: has begun, or will not.
  void begins(Call& call);
  void is_over(Call& call) noexcept;
  void will_not_begin(Call& call) noexcept;
  void keep(Call& call) noexcept;

  QueueContext queue_;
  const Site& site_;
  ::grpc::ServerCompletionQueue& completions_;
  WorkerCounters counters_;
  std::vector<Line> lines_;
  ::grpc::AsyncGenericService* unknown_ = nullptr;  // none: another worker answers those
  Calls in_time_;  // those that are cancelled when they have taken the longest they may
  Calls others_;
  bool arms_ = false;
};

}  // namespace weft::grpc
