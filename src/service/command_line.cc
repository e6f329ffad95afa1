// SPDX-License-Identifier: Apache-2.0
// The options of every service, by CLI11: each is a variable of the environment as well.
#include "service/command_line.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <utility>

namespace weft::service {
namespace {

constexpr int exit_usage = 2;

}  // namespace

std::optional<Settings> read_command_line(int count, const char* const* words, Options defaults,
                                          int& exit_code) {
  Settings settings{std::move(defaults), LogFormat::text};
  Options& options = settings.options;
  std::int64_t deadline_ms = options.request_deadline.count();
  std::int64_t leaving_ms = options.leaving.count();
  std::int64_t grace_ms = options.grace.count();
  std::string log = "text";

  CLI::App app("Options have variables of the environment, which they override.", options.name);
  app.option_defaults()->always_capture_default();
  app.add_option("--http", options.http, "Where HTTP is served: ADDRESS:PORT")
      ->envname("HTTP_LISTEN");
  app.add_option("--grpc", options.grpc, "Where gRPC is, if the service has any: ADDRESS:PORT")
      ->envname("GRPC_LISTEN");
  app.add_option("--grpc-transport", options.grpc_transport,
                 "Who carries gRPC: grpc, its own library, or weft, on each worker's own epoll")
      ->envname("GRPC_TRANSPORT")
      ->check(CLI::IsMember({"grpc", "weft"}));
  app.add_option("--admin", options.admin, "Where /healthz, /readyz, /metrics and a dashboard are")
      ->envname("ADMIN_LISTEN");
  app.add_option("--database", options.database, "sqlite:PATH, postgresql://… or mariadb://…")
      ->envname("DATABASE_URL");
  app.add_option("--request-deadline-ms", deadline_ms, "How long a request may take")
      ->envname("REQUEST_DEADLINE_MS")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{86'400'000}));
  app.add_option("--leaving-ms", leaving_ms,
                 "At the end: how long to serve on after saying not to be ready")
      ->envname("LEAVING_MS")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{3'600'000}));
  app.add_option("--grace-ms", grace_ms, "At the end: how long it may take as a whole")
      ->envname("GRACE_MS")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{3'600'000}));
  app.add_option("--log", log, "text or json")
      ->envname("LOG_FORMAT")
      ->check(CLI::IsMember({"text", "json"}));
  for (const OwnOption& own : options.own) {
    CLI::Option* const option = app.add_option(own.name, *own.value, own.help);
    if (!own.variable.empty()) option->envname(own.variable);
    if (!own.choices.empty()) option->check(CLI::IsMember(own.choices));
  }
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error) == 0 ? 0 : exit_usage;
    return std::nullopt;
  }
  options.request_deadline = std::chrono::milliseconds(deadline_ms);
  options.leaving = std::chrono::milliseconds(leaving_ms);
  options.grace = std::chrono::milliseconds(grace_ms);
  settings.log_format = log == "json" ? LogFormat::json : LogFormat::text;
  return settings;
}

}  // namespace weft::service
