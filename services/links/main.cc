// SPDX-License-Identifier: Apache-2.0
// Short links, over HTTP and gRPC at once: see README.md.
#include <weft/service.h>
#include <weft/sql_migrations.h>
#include <weft/sql_pool.h>

#include <optional>

#include "grpc_face.h"
#include "http_face.h"
#include "links.h"
#include "model.h"
#include "store.h"

int main(int count, char** words) {
  std::string model = "threads";
  weft::service::Options options;
  options.name = "links";
  options.database = "sqlite:links.db";
  options.own = {{.name = "--model",
                  .variable = "LINKS_MODEL",
                  .help = "What the database is waited for on",
                  .value = &model,
                  .choices = links::model_names()}};
  // As long as anything is served.
  std::optional<links::Store> store;
  std::optional<links::GrpcFace> grpc_face;
  return weft::service::main(count, words, options, [&](weft::service::Service& service) {
    weft::sql::ConnectionPool& database = service.database();
    weft::sql::migrate(*database.lease(), links::migrations());
    store.emplace(database, links::make_model(
                                model, service.blocking_pool(), [&]() -> auto& {
                                  return service.coroutines();
                                }));
    service.at_end("model", [&] { store->end(); });
    links::serve_http(service, *store);
    grpc_face.emplace(service, *store);
  });
}
