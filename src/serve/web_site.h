// SPDX-License-Identifier: Apache-2.0
// WebSite: handlers by method and path, and files for everything else.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/method.h"
#include "http/router.h"
#include "serve/site.h"
#include "serve/static_files.h"

namespace weft::serve {

// A request that was found a handler for.
struct Call {
  const Request& request;
  std::string_view query;
  // What "{name}" of the pattern stands for.
  std::optional<std::string_view> parameter(std::string_view name) const {
    return router.parameter(match, name);
  }

  const http::Router& router;
  const http::RouteMatch& match;
};

using Handler = std::function<void(const Call& call, Response& response)>;

// Says everything, and how long what it stands for takes: no thread needs to wait for that.
using DelayedHandler =
    std::function<std::chrono::nanoseconds(const Call& call, Response& response)>;

enum class Runs : unsigned char {
  on_a_worker,  // it may wait, and compute
  at_once,      // it does neither: the thread that reads the requests calls it
};

class WebSite : public Site {
 public:
  // Patterns are those of http/router.h. Before the server starts.
  base::Status add(http::Method method, std::string_view pattern, Handler handler,
                   Runs runs = Runs::on_a_worker);
  // The handler is called when the head is there, and may have the body read, or answer without it.
  base::Status add_streaming(http::Method method, std::string_view pattern, Handler handler);
  base::Status add_delayed(http::Method method, std::string_view pattern, DelayedHandler handler);
  // Handlers run within a RequestScope, and responses say which request they are to (X-Request-Id).
  void identify_requests() { identifies_ = true; }
  void add_files(FileTree tree) { files_.emplace(std::move(tree)); }

  bool streams_body(const http::RequestHead& head) override;
  bool answer_at_once(const Request& request, Response& response) override;
  std::optional<std::chrono::nanoseconds> answer_after_wait(const Request& request,
                                                            Response& response) override;
  void answer(const Request& request, Response& response) override;

 private:
  struct Route {
    Handler handler;
    Runs runs;
    DelayedHandler delayed;  // or none
    bool is_streaming = false;
  };
  bool answer(const Request& request, Response& response, bool may_wait);
  void call(const Route& route, const Call& call, Response& response) const;
  bool answer_unrouted(const Request& request, const http::RouteMatch& match, Response& response,
                       bool may_wait);

  http::Router router_;
  std::vector<Route> routes_;  // by their number
  std::optional<StaticFiles> files_;
  bool identifies_ = false;
};

// For measurements: /_/hello, /_/sleep/MS, /_/cpu/US, and /_/echo, which answers the body.
// Streamed:
// /_/stream/BYTES answers so many, /_/count says how many came, /_/early does not read them.
base::Status add_test_handlers(WebSite& site);

}  // namespace weft::serve
