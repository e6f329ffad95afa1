// SPDX-License-Identifier: Apache-2.0
// Parts come, serve and go.
#include "service/parts.h"

#include <spdlog/logger.h>
#include <weft/cancel.h>
#include <weft/context.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "net/listener.h"
#include "net/service_manager.h"

namespace weft::service {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::milliseconds until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return std::max(left, std::chrono::milliseconds(0));
}

}  // namespace

Parts::Parts(Options options, const budget::Budget& budget, std::shared_ptr<spdlog::logger> log)
    : options_(std::move(options)), log_(std::move(log)) {
  log_->info("{} cores by {}: {} threads compute", budget.cpu.cores, budget.cpu.source,
             budget.sizes.cpu_pool_threads.value);
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
  const CancelScope scope(Clock::now() + options_.request_deadline);
  HttpResponse said(response);
  try {
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

Coroutines& Parts::coroutines() {
  if (!coroutines_) coroutines_.emplace();
  return *coroutines_;
}

sql::ConnectionPool& Parts::database() {
  if (!database_) {
    if (options_.database.empty()) {
      throw std::runtime_error("no database is named: say --database URL, or set DATABASE_URL");
    }
    database_.emplace(sql::Url::parse(options_.database));
  }
  return *database_;
}

base::Status Parts::start_http() {
  const auto address = net::Address::parse(options_.http);
  if (!address) return address.error();
  auto socket = net::listen_on(*address);
  if (!socket) return socket.error();
  const auto bound = net::address_of(*socket);
  places_ = "HTTP on " + (bound ? bound->text() : options_.http);
  std::vector<os::Descriptor> listeners;
  listeners.push_back(std::move(*socket));
  serve::ServerOptions server;
  server.limits.admission = &admission_;
  http_ = std::make_unique<serve::Server>(std::move(server), site_, std::move(listeners));
  return base::Done{};
}

base::Status Parts::start() {
  if (auto status = start_http(); !status) return status;
  if (!options_.admin.empty()) {
    serve::About about{.version = "0.1.0", .policy = "adaptive", .listens = {places_}};
    const auto place = admin_.start(options_.admin, std::move(about), *http_);
    if (!place) return place.error();
    places_ += ", admin on " + *place;
  }
  http_->start();
  return base::Done{};
}

bool Parts::end() {
  Ending ending;
  ending.add(Stage::unready, "readiness", [this](Clock::time_point) {
    admin_.say_draining();
    return true;
  });
  ending.add(Stage::leaving, "leaving", [this](Clock::time_point deadline) {
    std::this_thread::sleep_until(std::min(deadline, Clock::now() + options_.leaving));
    return true;
  });
  ending.add(Stage::servers, "HTTP", [this](Clock::time_point deadline) {
    const bool is_done = http_->drain(until(deadline));
    if (is_done) http_.reset();
    return is_done;
  });
  ending.add(Stage::pools, "coroutines", [this](Clock::time_point) {
    coroutines_.reset();
    return true;
  });
  ending.add(Stage::databases, "database", [this](Clock::time_point) {
    database_.reset();
    return true;
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
  bool is_done = true;
  for (const Ending::Outcome& outcome : ending.run(options_.grace)) {
    if (outcome.problem.empty()) continue;
    is_done = false;
    log_->error("{} did not end well: {}", outcome.name, outcome.problem);
  }
  log_->flush();
  return is_done;
}

}  // namespace weft::service
