// SPDX-License-Identifier: Apache-2.0
// A service with the same few things over HTTP and gRPC, for the tests.
#include <spdlog/logger.h>
#include <weft/cancel.h>
#include <weft/coroutines.h>
#include <weft/grpc_server.h>
#include <weft/service.h>
#include <weft/sql.h>
#include <weft/sql_migrations.h>
#include <weft/sql_pool.h>

#include <weft_kit_protos/kit.grpc.pb.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace weft {
namespace {

using kit::Kit;
using kit::Name;
using kit::Total;
using kit::Work;
using std::chrono::milliseconds;

void visit(sql::ConnectionPool& database, const std::string& name) {
  const auto lease = database.lease();
  sql::Transaction transaction(*lease);
  const auto known = lease->execute("UPDATE visits SET times = times + 1 WHERE name = ?", {name});
  if (known.affected == 0) lease->execute("INSERT INTO visits VALUES (?, 1)", {name});
  transaction.commit();
}

std::int64_t visits(sql::ConnectionPool& database, const std::string& name) {
  const auto rows =
      database.lease(sql::Access::read)->execute("SELECT times FROM visits WHERE name = ?", {name});
  return rows.empty() ? 0 : rows[0].integer(0);
}

// Stops when it is told to.
void sleep_for(milliseconds duration) {
  const auto until = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < until) {
    cancellation().check();
    std::this_thread::sleep_for(milliseconds(1));
  }
}

// How many compute now; and, since somebody asked, how many began, and how many of them while
// another one computed.
std::atomic<int> computing{0};
std::atomic<int> begun{0};
std::atomic<int> begun_beside{0};

void compute_for(milliseconds duration) {
  ++begun;
  if (computing.fetch_add(1) != 0) ++begun_beside;
  const auto until = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < until) {
  }
  --computing;
}

void build_http(service::Service& service, sql::ConnectionPool& database) {
  service.http("POST", "/visits/{name}", [&](const auto& request, auto& response) {
    visit(database, std::string(request.parameter("name")));
    response.set_status(204);
  });
  service.http("GET", "/visits/{name}", [&](const auto& request, auto& response) {
    const std::string name(request.parameter("name"));
    response.set_body(std::to_string(visits(database, name)) + "\n");
  });
  service.http("GET", "/sleep/{milliseconds}", [&](const auto& request, auto& response) {
    service.log().info("sleeps");
    sleep_for(milliseconds(std::stoi(std::string(request.parameter("milliseconds")))));
    response.set_body("slept\n");
  });
  service.http("GET", "/compute/{milliseconds}", [](const auto& request, auto& response) {
    compute_for(milliseconds(std::stoi(std::string(request.parameter("milliseconds")))));
    response.set_body("computed\n");
  });
  service.http("GET", "/computing", [](const auto&, auto& response) {
    const double all = begun.exchange(0);
    response.set_body(std::to_string(begun_beside.exchange(0) / std::max(all, 1.0)) + "\n");
  });
  // Does not stop, whatever it is told.
  service.http("GET", "/stuck", [&](const auto&, auto&) {
    service.log().info("is stuck");
    std::this_thread::sleep_for(std::chrono::hours(1));
  });
  service.http("GET", "/remaining", [](const auto&, auto& response) {
    response.set_body(service::remaining_timeout().value_or("none") + "\n");
  });
}

void build_grpc(service::Service& service, Kit::AsyncService& kit, sql::ConnectionPool& database) {
  Pool& pool = service.blocking_pool();
  grpc::Server& server = service.grpc();
  server.unary(kit, &Kit::AsyncService::RequestVisit,
               [&](grpc::Call&, const Name& request, Total& response) -> grpc::Answer {
                 response.set_number(co_await offload(pool, [&] {
                   visit(database, request.name());
                   return visits(database, request.name());
                 }));
                 co_return ::grpc::Status::OK;
               });
  server.unary(kit, &Kit::AsyncService::RequestSleep,
               [&](grpc::Call&, const Work& request, Total&) -> grpc::Answer {
                 // A negative one does not stop, whatever it is told.
                 co_await offload(pool, [&] {
                   service.log().info("sleeps");
                   request.milliseconds() < 0 ? std::this_thread::sleep_for(std::chrono::hours(1))
                                              : sleep_for(milliseconds(request.milliseconds()));
                 });
                 co_return ::grpc::Status::OK;
               });
  server.unary(kit, &Kit::AsyncService::RequestThrow,
               [](grpc::Call&, const Name& request, Total&) -> grpc::Answer {
                 throw std::runtime_error("secret " + request.name());
                 co_return ::grpc::Status::OK;
               });
  server.server_stream(
      kit, &Kit::AsyncService::RequestTick,
      [](grpc::Call&, const Work& request, grpc::Writer<Total>& writer) -> grpc::Answer {
        Total total;
        for (std::int64_t i = 1;; ++i) {
          total.set_number(i);
          co_await writer.write(total);
          co_await grpc::sleep_for(milliseconds(request.milliseconds()));
        }
      });
}

}  // namespace
}  // namespace weft

int main(int count, char** words) {
  using namespace weft;
  Kit::AsyncService kit;
  return service::main(count, words, {.name = "kit"}, [&](service::Service& service) {
    const sql::Migration table{
        .number = 1,
        .name = "visits",
        .statements = {"CREATE TABLE visits (name VARCHAR(100) PRIMARY KEY, times BIGINT)"}};
    sql::ConnectionPool& database = service.database();
    sql::migrate(*database.lease(), {&table, 1});
    build_http(service, database);
    build_grpc(service, kit, database);
  });
}
