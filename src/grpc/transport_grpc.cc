// SPDX-License-Identifier: Apache-2.0
// How a server starts and ends whose transport is gRPC's.
#include <grpc/grpc.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "grpc/server_core.h"

namespace weft::grpc {
namespace {

constexpr std::chrono::milliseconds forgotten_call_interval(50);

int milliseconds(std::chrono::milliseconds duration) {
  return static_cast<int>(std::min<std::int64_t>(duration.count(), INT32_MAX));
}

void configure(::grpc::ServerBuilder& builder, const ServerOptions& options) {
  builder.SetMaxReceiveMessageSize(options.most_received_bytes);
  builder.SetMaxSendMessageSize(options.most_sent_bytes);
  const auto set = [&](const char* name, int value) { builder.AddChannelArgument(name, value); };
  set(GRPC_ARG_MAX_CONCURRENT_STREAMS, static_cast<int>(options.concurrent_streams));
  set(GRPC_ARG_KEEPALIVE_TIME_MS, milliseconds(options.keepalive_interval));
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, milliseconds(options.keepalive_timeout));
  set(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
      milliseconds(options.least_ping_interval));
  set(GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION, options.compresses ? 1 : 0);
  set(GRPC_ARG_ENABLE_CHANNELZ, 0);  // nobody could ask: its service is not there
  // A port that another server has is taken, and not shared with it unawares.
  set(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

void set_quota(::grpc::ServerBuilder& builder, const ServerOptions& options,
               const budget::Budget& budget, std::uint32_t threads) {
  ::grpc::ResourceQuota quota("weft");
  quota.SetMaxThreads(static_cast<int>(threads));
  const auto bytes =
      static_cast<std::size_t>(static_cast<double>(budget.memory.bytes) * options.memory_share);
  if (bytes != 0) quota.Resize(bytes);
  builder.SetResourceQuota(quota);
}

}  // namespace

void Server::Core::start_on_grpc(const budget::Budget& budget, std::uint32_t most_workers) {
  const ServerOptions& options = site_.options;
  ::grpc::ServerBuilder builder;
  configure(builder, options);
  set_quota(builder, options, budget, most_workers);
  const auto credentials =
      options.credentials != nullptr ? options.credentials : ::grpc::InsecureServerCredentials();
  for (std::size_t i = 0; i < options.addresses.size(); ++i) {
    builder.AddListeningPort(options.addresses[i], credentials, &ports_[i]);
  }
  for (::grpc::Service* const service : services_) builder.RegisterService(service);
  builder.RegisterAsyncGenericService(&unknown_);
  std::vector<std::unique_ptr<Worker>> all;
  for (std::uint32_t i = 0; i < most_workers; ++i) {
    all.push_back(std::make_unique<Worker>(site_, builder.AddCompletionQueue()));
  }
  all.front()->answer_unknown(unknown_);  // always serves
  crew_ = std::make_unique<Crew>(std::move(all));
  server_ = builder.BuildAndStart();
  if (server_ != nullptr) return;
  std::string addresses;
  for (const std::string& address : options.addresses) addresses += " " + address;
  throw std::runtime_error("weft::grpc: cannot listen on one of" + addresses +
                           ": is it in use, or not of this machine?");
}

// gRPC 1.51 can forget a call that arrives in the moment in which it shuts down: nobody gets it,
// and it is waited for. So what is left when we have had nothing for two looks is not ours.
void Server::Core::cancel_on_grpc_at(Instant deadline) {
  std::unique_lock lock(mutex_);
  for (int idle_looks = 0; idle_looks < 2;) {
    const Instant next_look = Instant::clock::now() + forgotten_call_interval;
    if (has_ended_.wait_until(lock, std::min(deadline, next_look), [this] { return is_empty_; })) {
      return;
    }
    if (next_look >= deadline) {
      was_cut_off_ = true;
      site_.is_shut_down.store(true, std::memory_order_relaxed);
      crew_->cancel_all(CancelReason::shutdown);
      return;
    }
    idle_looks = crew_->is_idle() ? idle_looks + 1 : 0;
  }
  ::grpc_server_cancel_all_calls(server_->c_server());
}

void Server::Core::shutdown_on_grpc(Instant deadline) {
  if (server_ == nullptr) return crew_->close();
  std::thread canceller([this, deadline] { cancel_on_grpc_at(deadline); });
  // gRPC cancels what is left, without a word to the client, when handlers take too long to unwind.
  const auto remaining = std::max(deadline - Instant::clock::now(), Instant::duration(0));
  server_->Shutdown(std::chrono::system_clock::now() +
                    std::chrono::ceil<std::chrono::microseconds>(remaining) +
                    site_.options.unwind_time);
  {
    const std::scoped_lock guard(mutex_);
    is_empty_ = true;
  }
  has_ended_.notify_all();
  canceller.join();
  crew_->close();
  server_.reset();
}

}  // namespace weft::grpc
