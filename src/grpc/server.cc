// SPDX-License-Identifier: Apache-2.0
// The server: what it is built of, how it starts and how it ends.
#include <cxxabi.h>
#include <google/protobuf/descriptor.h>
#include <grpc/grpc.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <weft/budget.h>
#include <weft/budget_watch.h>
#include <weft/grpc_server.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <thread>

#include "grpc/crew.h"
#include "grpc/decisions.h"
#include "grpc/health.h"
#include "grpc/reflection.h"
#include "grpc/unknown_call.h"

namespace weft::grpc {
namespace {

constexpr std::chrono::milliseconds forgotten_call_interval(50);

std::string demangled(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return name == nullptr ? type.name() : name.get();
}

std::string service_of(const std::string& method) {
  return method.substr(1, method.find('/', 1) - 1);
}

// A call of a method without a handler would wait for ever.
void check_handlers(const std::set<std::string>& services, const std::set<std::string>& methods) {
  for (const std::string& service : services) {
    const auto* const known =
        google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(service);
    for (int i = 0; known != nullptr && i < known->method_count(); ++i) {
      const std::string method = "/" + service + "/" + known->method(i)->name();
      if (methods.contains(method)) continue;
      throw std::runtime_error("weft::grpc: " + method +
                               " has no handler: register one before start()");
    }
  }
}

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

Method::Method(const std::type_info& owner, MethodOptions options)
    : name_(method_name(demangled(owner))), options_(options) {}
Method::~Method() = default;

class Server::Core {
 public:
  explicit Core(ServerOptions options) { site_.options = std::move(options); }

  void start();
  bool shutdown(Instant deadline);

  Site site_;
  std::vector<::grpc::Service*> services_;
  Health health_;
  Reflection reflection_;
  std::vector<int> ports_;
  std::unique_ptr<Crew> crew_;  // none before start()
  std::optional<budget::Watch> watch_;
  budget::Watch::Subscription subscription_;

 private:
  void cancel_at(Instant deadline);

  ::grpc::AsyncGenericService unknown_;
  std::unique_ptr<::grpc::Server> server_;
  std::mutex mutex_;
  std::condition_variable has_ended_;
  // Guarded by mutex_.
  bool ends_ = false;
  bool is_empty_ = false;  // gRPC has no call of ours any more
  bool was_cut_off_ = false;
};

void Server::Core::start() {
  const ServerOptions& options = site_.options;
  std::set<std::string> services;
  std::set<std::string> methods;
  for (const auto& method : site_.methods) {
    methods.insert(method->name());
    services.insert(service_of(method->name()));
  }
  check_handlers(services, methods);
  for (const std::string& service : services) health_.set(service, true);
  reflection_.set_services(std::move(services));

  const budget::Budget budget = budget::read();
  const auto workers = options.workers != 0
                           ? options.workers
                           : static_cast<std::uint32_t>(budget.sizes.cpu_pool_threads.value);
  const std::uint32_t most =
      std::max(workers, options.most_workers != 0 ? options.most_workers : 2 * workers);
  ::grpc::ServerBuilder builder;
  configure(builder, options);
  set_quota(builder, options, budget, most);
  const auto credentials =
      options.credentials != nullptr ? options.credentials : ::grpc::InsecureServerCredentials();
  ports_.resize(options.addresses.size());
  for (std::size_t i = 0; i < options.addresses.size(); ++i) {
    builder.AddListeningPort(options.addresses[i], credentials, &ports_[i]);
  }
  for (::grpc::Service* const service : services_) builder.RegisterService(service);
  builder.RegisterAsyncGenericService(&unknown_);
  std::vector<std::unique_ptr<Worker>> all;
  for (std::uint32_t i = 0; i < most; ++i) {
    all.push_back(std::make_unique<Worker>(site_, builder.AddCompletionQueue()));
  }
  all.front()->answer_unknown(unknown_);  // always serves
  crew_ = std::make_unique<Crew>(std::move(all));
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) {
    std::string addresses;
    for (const std::string& address : options.addresses) addresses += " " + address;
    throw std::runtime_error("weft::grpc: cannot listen on one of" + addresses +
                             ": is it in use, or not of this machine?");
  }
  crew_->resize(workers);
  if (options.workers != 0) return;
  watch_.emplace();
  subscription_ = watch_->subscribe([this](const budget::Budget& now) {
    crew_->resize(static_cast<std::uint32_t>(now.sizes.cpu_pool_threads.value));
  });
}

// gRPC 1.51 can forget a call that arrives in the moment in which it shuts down: nobody gets it,
// and it is waited for. So what is left when we have had nothing for two looks is not ours.
void Server::Core::cancel_at(Instant deadline) {
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

bool Server::Core::shutdown(Instant deadline) {
  {
    const std::scoped_lock guard(mutex_);
    if (std::exchange(ends_, true)) return !was_cut_off_;
  }
  subscription_.reset();
  watch_.reset();
  health_.drain();
  health_.close();
  if (server_ == nullptr) {
    if (crew_ != nullptr) crew_->close();
    return true;
  }
  std::thread canceller([this, deadline] { cancel_at(deadline); });
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
  return !was_cut_off_;
}

Server::Server(ServerOptions options) : core_(std::make_unique<Core>(std::move(options))) {
  if (core_->site_.options.health) core_->health_.add_to(*this);
  if (core_->site_.options.reflection) core_->reflection_.add_to(*this);
}
Server::~Server() {
  shutdown(std::chrono::steady_clock::now());
}

void Server::add(::grpc::Service& service, std::unique_ptr<Method> method) {
  auto& services = core_->services_;
  if (std::ranges::find(services, &service) == services.end()) services.push_back(&service);
  core_->site_.methods.push_back(std::move(method));
}

void Server::start() {
  core_->start();
}
const std::vector<int>& Server::ports() const noexcept {
  return core_->ports_;
}
void Server::set_workers(std::uint32_t workers) {
  core_->subscription_.reset();
  core_->crew_->resize(workers);
}
void Server::set_serving(const std::string& service, bool is_serving) {
  core_->health_.set(service, is_serving);
}
void Server::begin_drain() {
  core_->health_.drain();
}
bool Server::shutdown(Instant deadline) {
  return core_->shutdown(deadline);
}

ServerCounters Server::counters() const {
  ServerCounters all;
  if (core_->crew_ == nullptr) return all;
  all.workers = core_->crew_->size();
  std::uint64_t finished = 0;
  const auto& methods = core_->site_.methods;
  for (const auto& worker : core_->crew_->workers()) {
    const WorkerCounters& own = worker->counters();
    // What has finished is read first: never more than what has started.
    for (std::size_t method = 0; method < own.finished.size(); ++method) {
      const std::string name(method < methods.size() ? methods[method]->name() : UnknownCall::name);
      for (std::size_t i = 0; i < WorkerCounters::codes; ++i) {
        const std::uint64_t number = own.finished[method][i].load(std::memory_order_relaxed);
        if (number == 0) continue;
        const auto code = static_cast<::grpc::StatusCode>(i);
        all.finished[code] += number;
        all.finished_by_method[name][code] += number;
        finished += number;
      }
    }
    all.started += own.started.load(std::memory_order_relaxed);
    all.thrown += own.thrown.load(std::memory_order_relaxed);
    all.armed += own.armed.load(std::memory_order_relaxed);
    const std::scoped_lock guard(own.mutex);
    for (const auto& [reason, number] : own.refused) all.refused[reason] += number;
  }
  all.in_flight = all.started - finished;
  return all;
}

measure::Snapshot Server::durations() const {
  measure::Snapshot all;
  if (core_->crew_ == nullptr) return all;
  for (const auto& worker : core_->crew_->workers()) {
    all.add(worker->counters().durations.snapshot());
  }
  return all;
}

}  // namespace weft::grpc
