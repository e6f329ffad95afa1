// SPDX-License-Identifier: Apache-2.0
// The server: what it is built of, how it starts and how it ends.
#include <cxxabi.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <stdexcept>

#include "grpc/decisions.h"
#include "grpc/server_core.h"
#include "grpc/unknown_call.h"

namespace weft::grpc {
namespace {

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

}  // namespace

Method::Method(const std::type_info& owner, MethodOptions options)
    : name_(method_name(demangled(owner))), options_(options) {}
Method::~Method() = default;

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
  ports_.resize(options.addresses.size());
  options.transport == Transport::grpc ? start_on_grpc(budget, most) : start_on_weft(budget, most);
  crew_->resize(workers);
  if (options.workers != 0) return;
  watch_.emplace();
  subscription_ = watch_->subscribe([this](const budget::Budget& now) {
    crew_->resize(static_cast<std::uint32_t>(now.sizes.cpu_pool_threads.value));
  });
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
  if (crew_ == nullptr) return true;
  site_.options.transport == Transport::grpc ? shutdown_on_grpc(deadline)
                                             : shutdown_on_weft(deadline);
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
