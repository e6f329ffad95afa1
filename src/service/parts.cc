// SPDX-License-Identifier: Apache-2.0
// Parts come, and serve.
#include "service/parts.h"

#include <spdlog/logger.h>
#include <weft/cancel.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "net/listener.h"
#include "service/client_deadline.h"
#include "service/no_server.h"

namespace weft::service {
namespace {

using Clock = std::chrono::steady_clock;

// gRPC wants all its queues before it starts, and a quota may become as large as the machine.
constexpr std::uint32_t most_workers = 64;

grpc::Transport transport_of(const std::string& name) {
  if (name == "grpc") return grpc::Transport::grpc;
  if (name == "weft") return grpc::Transport::weft;
  throw std::invalid_argument("'" + name + "' is no transport of gRPC: it is grpc, or weft");
}

std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "it threw something that says nothing";
  }
}

}  // namespace

Parts::Parts(Options options, std::shared_ptr<spdlog::logger> log)
    : options_(std::move(options)), log_(std::move(log)) {
  tells_changes_ = budget_.subscribe([this](const budget::Budget& budget) {
    log_->info("{} cores by {}: {} threads compute", budget.cpu.cores, budget.cpu.source,
               threads_within(budget.cpu));
  });
  site_.identify_requests();
}

Parts::~Parts() = default;

void Parts::add(std::string_view method, std::string_view pattern, HttpHandler handler) {
  const auto status = site_.add(
      http::method_of(method), pattern,
      [this, own = std::move(handler)](const serve::Call& request, serve::Response& response) {
        call(own, request, response);
      });
  if (!status) throw std::invalid_argument(status.error().message);
}

void Parts::call(const HttpHandler& handler, const serve::Call& call, serve::Response& response) {
  HttpResponse said(response);
  try {
    const CancelScope scope(deadline_of(call.request, options_.request_deadline, Clock::now()));
    handler(HttpRequest(call), said);
  } catch (const Cancelled& cancelled) {
    log_->warn("{}", cancelled.what());
    throw;
  } catch (const HttpError& error) {
    response.set_status(error.status());
    response.set_type("text/plain; charset=utf-8");
    response.set_body(std::string(error.what()) + "\n");
  } catch (const std::exception& thrown) {
    log_->error("a handler failed: {}", thrown.what());
    throw;
  }
}

grpc::Server& Parts::grpc() {
  const std::scoped_lock guard(making_);
  if (grpc_ == nullptr) {
    grpc::ServerOptions options;
    options.addresses.clear();
    const auto address = net::Address::parse(options_.grpc);
    if (address) {
      const std::string text = address->text();
      options.addresses.push_back(text.starts_with('*') ? "[::]" + text.substr(1) : text);
    } else if (!options_.grpc.empty()) {
      throw std::invalid_argument(address.error().message);
    }
    options.transport = transport_of(options_.grpc_transport);
    options.most_workers = std::clamp(std::thread::hardware_concurrency(), 2U, most_workers);
    options.reflection = true;
    options.longest_call = options_.request_deadline;
    options.admission = &admission_;
    options.on_exception = [this](std::string_view method, const std::exception_ptr& thrown) {
      log_->error("{}: a handler failed: {}", method, text_of(thrown));
    };
    grpc_ = std::make_unique<grpc::Server>(std::move(options));
  }
  return *grpc_;
}

Pool& Parts::blocking_pool() {
  const std::scoped_lock guard(making_);
  if (!blocking_pool_) {
    PoolOptions options;
    options.thread_name = "weft-blocking";
    options.on_exception = [this](const std::exception_ptr& thrown) {
      log_->error("a job failed: {}", text_of(thrown));
    };
    blocking_pool_.emplace(std::move(options));
    numbers_.watch(&*blocking_pool_);
  }
  return *blocking_pool_;
}

Coroutines& Parts::coroutines() {
  const std::scoped_lock guard(making_);
  if (!coroutines_) coroutines_.emplace();
  return *coroutines_;
}

sql::ConnectionPool& Parts::database() {
  const std::scoped_lock guard(making_);
  if (!database_) {
    if (options_.database.empty()) {
      throw std::runtime_error("no database is named: say --database URL, or set DATABASE_URL");
    }
    database_.emplace(sql::Url::parse(options_.database));
    numbers_.watch(&*database_);
  }
  return *database_;
}

void Parts::add_place(const std::string& what, const std::string& where) {
  places_ += (places_.empty() ? "" : ", ") + what + " on " + where;
}

base::Status Parts::open_http() {
  if (options_.http.empty()) {
    http_ = std::make_unique<NoServer>();
    return base::Done{};
  }
  const auto address = net::Address::parse(options_.http);
  if (!address) return address.error();
  auto socket = net::listen_on(*address);
  if (!socket) return socket.error();
  const auto bound = net::address_of(*socket);
  add_place("HTTP", bound ? bound->text() : options_.http);
  http_listener_ = socket->get();
  std::vector<os::Descriptor> listeners;
  listeners.push_back(std::move(*socket));
  serve::ServerOptions server;
  server.limits.admission = &admission_;
  server.pool.overload = {};  // one decides who is refused: it knows of all queues
  http_ = std::make_unique<serve::Server>(std::move(server), site_, std::move(listeners));
  return base::Done{};
}

base::Status Parts::start_admin() {
  if (options_.admin.empty()) return base::Done{};
  serve::About about{.version = "0.1.0", .policy = "adaptive", .listens = {places_}};
  const auto place = admin_.start(options_.admin, std::move(about), *http_,
                                  [this](serve::PrometheusText& text) { numbers_.write(text); });
  if (!place) return place.error();
  add_place("admin", *place);
  return base::Done{};
}

base::Status Parts::start_grpc() {
  if (grpc_ == nullptr || options_.grpc.empty()) return base::Done{};
  grpc_->start();
  grpc_serves_ = true;
  numbers_.watch(grpc_.get());
  const std::size_t colon = options_.grpc.rfind(':');
  const bool has_port = !options_.grpc.starts_with("unix:");
  add_place("gRPC", has_port
                        ? options_.grpc.substr(0, colon + 1) + std::to_string(grpc_->ports()[0])
                        : options_.grpc);
  return base::Done{};
}

// HTTP answers nobody before all ports are open; gRPC, which opens its port and serves in one, is
// the last that can fail.
base::Status Parts::start() {
  if (options_.http.empty() && (grpc_ == nullptr || options_.grpc.empty())) {
    return base::Error{"nothing is served: say --http ADDRESS:PORT or --grpc ADDRESS:PORT"};
  }
  if (auto status = open_http(); !status) return status;
  if (auto status = start_admin(); !status) return status;
  if (auto status = start_grpc(); !status) return status;
  http_->start();
  return base::Done{};
}

}  // namespace weft::service
