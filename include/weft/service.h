// SPDX-License-Identifier: Apache-2.0
// weft::service: a stateless service in one call, within the budget of its container.
//
//   int main(int count, char** words) {
//     return weft::service::main(count, words, {.name = "hello"}, [](weft::service::Service&
//     service) {
//       service.http("GET", "/hello/{name}", [](const auto& request, auto& response) {
//         response.set_body("hello, " + std::string(request.parameter("name")) + "\n");
//       });
//     });
//   }
//
// What the call does: reads the budget, and sets from it what can only be set before there are
// threads (malloc's arenas, stacks); starts an HTTP server with its pool, a gRPC server where the
// service has asked for one, and the admin port (/healthz, /readyz, /metrics, a dashboard); tells
// systemd that it is ready; waits for SIGTERM or SIGINT; and ends in the order of
// src/service/ending.h. What was sized from the budget follows it.
//
// Each request has a trace and a correlation id, which every line of log() names; a deadline; and
// weft::cancellation(), which its going, its deadline and the end of the process cancel. When there
// is too much to do, some are refused before they have begun: 503 with Retry-After and Weft-Reason.
//
// gRPC: service.grpc() of <weft/grpc_server.h>, with health and reflection. Its handlers are
// coroutines, which never block; what does, they give to weft::offload(service.blocking_pool(), …).
//
// Clients may say how long they wait: gRPC's do by themselves, those of HTTP by the field
// Grpc-Timeout, as gRPC writes it: up to eight digits, and H, M, S, m, u or n, for hours, minutes,
// seconds, milliseconds, microseconds and nanoseconds ("250m"). It counts from when the request was
// there, and is never longer than request_deadline. What has waited longer is answered 504, and its
// handler is not called; what is malformed, or there twice, 400. Unary calls of gRPC have no
// longer, either, and are answered DEADLINE_EXCEEDED.
//
// Handlers of HTTP run on the server's pool, and may block. What they throw is answered:
// weft::Cancelled with 503 or 504, HttpError with its status, everything else with 500, and a line
// in the log.
#pragma once

#include <spdlog/fwd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
class Coroutines;
class Pool;

namespace grpc {
class Server;
}  // namespace grpc
namespace serve {
struct Call;
class Response;
}  // namespace serve
namespace sql {
class ConnectionPool;
}  // namespace sql

namespace service {

// An option of the service's own.
struct OwnOption {
  std::string name;      // "--model"
  std::string variable;  // of the environment; empty: none
  std::string help;
  std::string* value = nullptr;           // what it is unless it is given, and then what was said
  std::vector<std::string> choices = {};  // empty: any
};

// What the options of the command line are unless they are given.
struct Options {
  std::string name = "service";
  std::string http = "127.0.0.1:8080";   // empty: none
  std::string grpc = "127.0.0.1:50051";  // of services that ask for grpc(); empty: none
  std::string grpc_transport = "grpc";   // or "weft": weft::grpc::Transport
  std::string admin = "127.0.0.1:8081";  // empty: none
  std::string database = {};             // a URL of <weft/sql.h>; empty: none
  std::chrono::milliseconds request_deadline = std::chrono::seconds(30);
  std::chrono::milliseconds leaving{0};  // between not being ready and taking nothing more
  std::chrono::milliseconds grace = std::chrono::seconds(25);  // for the end as a whole
  std::vector<OwnOption> own = {};
};

// A request over HTTP, for as long as its handler runs.
class HttpRequest {
 public:
  explicit HttpRequest(const serve::Call& call) noexcept : call_(call) {}
  std::string_view method() const noexcept;
  std::string_view path() const noexcept;
  // What "{name}" of the pattern stands for; empty: there is none.
  std::string_view parameter(std::string_view name) const;
  // Of "?name=value", decoded.
  std::optional<std::string> query(std::string_view name) const;
  // The first of this name.
  std::optional<std::string_view> field(std::string_view name) const;
  // Whether there are more of this name: of what is no list, nobody can tell which one is meant.
  bool is_repeated(std::string_view name) const;
  std::string_view body() const noexcept;

 private:
  const serve::Call& call_;
};

class HttpResponse {
 public:
  explicit HttpResponse(serve::Response& response) noexcept : response_(response) {}
  void set_status(unsigned status);
  void set_type(std::string_view type);
  void set_body(std::string body);
  void add_field(std::string_view name, std::string_view value);

 private:
  serve::Response& response_;
};

class HttpError : public std::runtime_error {
 public:
  // The text is for the client.
  HttpError(unsigned status, const std::string& text) : std::runtime_error(text), status_(status) {}
  unsigned status() const noexcept { return status_; }

 private:
  unsigned status_;
};

using HttpHandler = std::function<void(const HttpRequest& request, HttpResponse& response)>;

class Parts;

class Service {
 public:
  explicit Service(Parts& parts) noexcept : parts_(parts) {}

  // Patterns: "/links/{key}". Throws std::invalid_argument for one that is none.
  void http(std::string_view method, std::string_view pattern, HttpHandler handler);

  // Made when they are first asked for. Methods are registered on it while the service is built; it
  // is started and ended with the others.
  grpc::Server& grpc();
  // For what blocks: grows by how much its jobs wait, and follows the budget.
  Pool& blocking_pool();
  Coroutines& coroutines();
  // Throws where no URL was given.
  sql::ConnectionPool& database();
  spdlog::logger& log() noexcept;

  // For threads of the service's own: called at the end, when nothing is served any more, and
  // before the pools and the database end. Those that were added last go first.
  void at_end(std::string name, std::function<void()> function);

 private:
  Parts& parts_;
};

// What is left of the deadline of here, for what is asked of others by HTTP: the value of
// Grpc-Timeout. None: there is no deadline. (Of gRPC: weft::grpc::propagate().)
std::optional<std::string> remaining_timeout();

// Exit status: 0 ended, and everything was answered; 1 not all of it in time; 2 it could not start.
int main(int count, char** words, Options defaults, const std::function<void(Service&)>& build);

}  // namespace service
}  // namespace weft
