// SPDX-License-Identifier: Apache-2.0
// A whole service: it keeps to its container's CPUs, names each request in its log, refuses what it
// cannot serve in time, and ends without losing what it has accepted.
//
//   hello_service --database sqlite:/tmp/hello.db
#include <spdlog/logger.h>
#include <weft/service.h>
#include <weft/sql_migrations.h>
#include <weft/sql_pool.h>

int main(int count, char** words) {
  using namespace weft;
  return service::main(count, words, {.name = "hello"}, [](service::Service& service) {
    const sql::Migration visits{
        .number = 1,
        .name = "visits",
        .statements = {"CREATE TABLE visits (name VARCHAR(100) PRIMARY KEY, times BIGINT)"}};
    sql::ConnectionPool& database = service.database();
    sql::migrate(*database.lease(), {&visits, 1});

    service.http("POST", "/visits/{name}", [&](const auto& request, auto& response) {
      const std::string name(request.parameter("name"));
      if (name.size() > 100) throw service::HttpError(400, "a name has at most 100 bytes");
      const auto lease = database.lease();
      sql::Transaction transaction(*lease);
      const auto known =
          lease->execute("UPDATE visits SET times = times + 1 WHERE name = ?", {name});
      if (known.affected == 0) lease->execute("INSERT INTO visits VALUES (?, 1)", {name});
      transaction.commit();
      service.log().info("{} was here", name);
      response.set_status(204);
    });
    service.http("GET", "/visits/{name}", [&](const auto& request, auto& response) {
      const auto rows = database.lease(sql::Access::read)
                            ->execute("SELECT times FROM visits WHERE name = ?",
                                      {std::string(request.parameter("name"))});
      response.set_body(std::to_string(rows.empty() ? 0 : rows[0].integer(0)) + "\n");
    });
  });
}
