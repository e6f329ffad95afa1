// SPDX-License-Identifier: Apache-2.0
// Worker: a completion queue, and the calls of it: those that are armed, and those that have begun.
// On weft's own transport it has a poller and a port (h2_port.h) instead, and arms nothing.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <weft/grpc_server.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/atomic.h"
#include "grpc/h2_port.h"
#include "measure/histogram.h"
#include "net/listener.h"
#include "os/file.h"

namespace weft::grpc {

// What all workers share, and only read while they run.
struct Site {
  ServerOptions options;
  std::vector<std::unique_ptr<Method>> methods;
  // Of weft's transport: where connections come from, and whom they go to.
  std::vector<os::Descriptor> listeners;
  std::function<void(net::Accepted)> give;
  std::size_t most_kept_bytes = 0;   // of messages, at each worker
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
  // Of weft's transport.
  explicit Worker(const Site& site);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  QueueContext& queue() noexcept { return queue_; }
  const Site& site() const noexcept { return site_; }
  // None: it is on gRPC's transport.
  H2Port* port() noexcept { return port_.get(); }
  const WorkerCounters& counters() const noexcept { return counters_; }

  // Before it runs: it answers the calls of unknown methods, too.
  void answer_unknown(::grpc::AsyncGenericService& service) noexcept { unknown_ = &service; }

  // For the worker's thread: arms requests, and replaces those that are taken; or no longer does.
  // On weft's transport it accepts connections, or ends those it has.
  void begin_serving();
  void stop_serving();
  void stop_arming() noexcept;
  void cancel_all(CancelReason reason);

  // For its port: a call of that method, to arrive; and calls of methods that are not there.
  Call& call_of(std::size_t line);
  void unknown_begins() noexcept { add(counters_.started, 1); }
  void unknown_ends(bool was_delivered, std::string peer);

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

  void make_lines();
  void begin_arming();
  void arm_one(std::size_t line);
  std::unique_ptr<Call> idle_call(std::size_t line);
  // What was armed: was taken, or will not be.
  void is_taken(Call& call);
  void will_not_begin(Call& call) noexcept;
  void begins(Call& call);
  void is_over(Call& call) noexcept;
  void keep(Call& call) noexcept;

  const std::unique_ptr<EpollPoller> poller_;  // of weft's transport
  QueueContext queue_;
  const Site& site_;
  ::grpc::ServerCompletionQueue* const completions_ = nullptr;  // of gRPC's
  WorkerCounters counters_;
  std::vector<Line> lines_;
  ::grpc::AsyncGenericService* unknown_ = nullptr;  // none: another worker answers those
  Calls in_time_;  // those that are cancelled when they have taken the longest they may
  Calls others_;
  bool arms_ = false;  // or accepts
  std::unique_ptr<H2Port> port_;
};

}  // namespace weft::grpc
