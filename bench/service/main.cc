// SPDX-License-Identifier: Apache-2.0
// weft-bench-service: a small service as there are many. A page of items is looked up in SQLite,
// made JSON and signed, which takes about a millisecond of CPU.
//
//   GET /pages/{number}
//   GET /pages/{number}?wait=MS     between the two, another service is waited for
//   weft.grpc_bench.Echo/Say        the same, with the number as the text that is asked
#include <weft/coroutines.h>
#include <weft/grpc_server.h>
#include <weft/service.h>
#include <weft/sql_migrations.h>
#include <weft/sql_pool.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>

#include <weft_bench_grpc_protos/echo.grpc.pb.h>

namespace {

using namespace weft;

constexpr std::int64_t pages = 100;
constexpr std::int64_t items_of_page = 20;
constexpr std::int64_t longest_wait_ms = 1000;
constexpr int rounds_of_signature = 900;  // over some 1.5 KB of text

void fill(sql::Connection& connection) {
  const sql::Migration items{
      .number = 1,
      .name = "items",
      .statements = {"CREATE TABLE items (id BIGINT PRIMARY KEY, page BIGINT, name VARCHAR(100))",
                     "CREATE INDEX items_of_page ON items (page)"}};
  if (sql::migrate(connection, {&items, 1}) == 0) return;
  sql::Transaction transaction(connection);
  for (std::int64_t id = 0; id < pages * items_of_page; ++id) {
    connection.execute("INSERT INTO items VALUES (?, ?, ?)",
                       {id, id / items_of_page, "item number " + std::to_string(id)});
  }
  transaction.commit();
}

std::int64_t number_of(std::string_view text, std::int64_t most) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > most) {
    throw service::HttpError(404, "a number from 0 to " + std::to_string(most) + " was expected");
  }
  return number;
}

// What a signature costs, and no signature: FNV-1a, again and again.
std::uint64_t sign(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;
  for (int round = 0; round < rounds_of_signature; ++round) {
    for (const char byte : text) {
      hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
    }
  }
  return hash;
}

std::string page_of(sql::ConnectionPool& database, std::string_view number, std::int64_t wait_ms) {
  const std::int64_t page = number_of(number, pages - 1);
  auto json = nlohmann::json::array();
  for (const auto& row :
       database.lease(sql::Access::read)
           ->execute("SELECT id, name FROM items WHERE page = ? ORDER BY id", {page})) {
    json.push_back({{"id", row.integer(0)}, {"name", std::string(row.text(1))}});
  }
  if (wait_ms != 0) std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
  const std::string items = json.dump();
  return nlohmann::json{{"items", json}, {"signature", sign(items)}}.dump();
}

}  // namespace

int main(int count, char** words) {
  grpc_bench::Echo::AsyncService echo;
  return service::main(count, words, {.name = "bench"}, [&](service::Service& service) {
    sql::ConnectionPool& database = service.database();
    fill(*database.lease());
    service.http("GET", "/pages/{number}", [&](const auto& request, auto& response) {
      const auto wait = request.query("wait");
      response.set_type("application/json");
      response.set_body(page_of(database, request.parameter("number"),
                                wait ? number_of(*wait, longest_wait_ms) : 0));
    });
    service.grpc().unary(echo, &grpc_bench::Echo::AsyncService::RequestSay,
                         [&](weft::grpc::Call&, const grpc_bench::Line& asked,
                             grpc_bench::Line& answer) -> weft::grpc::Answer {
                           answer.set_text(co_await offload(service.blocking_pool(), [&] {
                             return page_of(database, asked.text(), 0);
                           }));
                           co_return ::grpc::Status::OK;
                         });
  });
}
