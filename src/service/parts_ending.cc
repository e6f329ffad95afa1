// SPDX-License-Identifier: Apache-2.0
// Parts go: in the order of ending.h, and by the deadline, whatever handlers do.
#include <spdlog/logger.h>
#include <weft/context.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "net/listener.h"
#include "service/parts.h"
#include "service/patience.h"

namespace weft::service {
namespace {

using Clock = std::chrono::steady_clock;

// Of the time that is left, what gRPC's handlers have for answering that they were cancelled.
constexpr auto time_to_unwind = std::chrono::milliseconds(500);

std::chrono::milliseconds until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return std::max(left, std::chrono::milliseconds(0));
}

}  // namespace

// Both at once: each has all of the time.
bool Parts::end_servers(Clock::time_point deadline) {
  // Closing a listener resets whom the kernel has let in and nobody has accepted yet; so it lets in
  // nobody any more before the last are accepted.
  if (http_listener_) net::take_no_handshakes(*http_listener_);
  bool is_http_done = true;
  std::jthread http([&] { is_http_done = http_->drain(until(deadline)); });
  const auto is_grpc_done = std::make_shared<std::atomic<bool>>(!grpc_serves_);
  if (grpc_serves_) {
    // A handler that was told and goes on keeps gRPC's shutdown from returning.
    run_until(deadline, [this, deadline, is_grpc_done] {
      const auto left = deadline - Clock::now();
      is_grpc_done->store(
          grpc_->shutdown(deadline - std::min<Clock::duration>(time_to_unwind, left / 2)));
    });
  }
  http.join();
  return is_http_done && is_grpc_done->load();
}

void Parts::add_steps(Ending& ending) {
  ending.add(Stage::unready, "readiness", [this](Clock::time_point) {
    admin_.say_draining();
    if (grpc_serves_) grpc_->begin_drain();
    return true;
  });
  ending.add(Stage::leaving, "leaving", [this](Clock::time_point deadline) {
    std::this_thread::sleep_until(std::min(deadline, Clock::now() + options_.leaving));
    return true;
  });
  ending.add(Stage::servers, "servers",
             [this](Clock::time_point deadline) { return end_servers(deadline); });
  ending.add(Stage::pools, "pool", [this](Clock::time_point deadline) {
    return !blocking_pool_ || run_until(deadline, [this] { blocking_pool_->drain(); });
  });
  // May wait for the pool, so it goes first.
  ending.add(Stage::pools, "coroutines", [this](Clock::time_point deadline) {
    return !coroutines_ || run_until(deadline, [this] { coroutines_->drain(); });
  });
  for (const auto& [name, function] : own_endings_) {
    ending.add(Stage::pools, name, [&function = function](Clock::time_point deadline) {
      return run_until(deadline, function);
    });
  }
  ending.add(Stage::databases, "database", [this](Clock::time_point deadline) {
    numbers_.watch(static_cast<const sql::ConnectionPool*>(nullptr));
    return !database_ || run_until(deadline, [this] { database_.reset(); });
  });
  ending.add(Stage::flushing, "log", [this](Clock::time_point) {
    const GuardMisuses misuses = guard_misuses();
    if (misuses.on_another_strand + misuses.out_of_order != 0) {
      log_->warn("context guards that went where they should not: {} elsewhere, {} too early",
                 misuses.on_another_strand, misuses.out_of_order);
    }
    log_->flush();
    return true;
  });
}

bool Parts::end() {
  Ending ending;
  add_steps(ending);
  bool is_done = true;
  for (const Ending::Outcome& outcome : ending.run(options_.grace)) {
    if (outcome.problem.empty()) continue;
    is_done = false;
    log_->error("{} did not end well: {}", outcome.name, outcome.problem);
  }
  return is_done;
}

}  // namespace weft::service
