// SPDX-License-Identifier: Apache-2.0
// From a request to who answers it.
#include "serve/web_site.h"

#include <weft/fibers.h>

#include <string>
#include <utility>

#include "http/target.h"
#include "serve/request_scope.h"

namespace weft::serve {

base::Status WebSite::add(http::Method method, std::string_view pattern, Handler handler,
                          Runs runs) {
  const auto route = router_.add(method, pattern);
  if (!route) return route.error();
  routes_.push_back({std::move(handler), runs, {}});
  return base::Done{};
}

base::Status WebSite::add_delayed(http::Method method, std::string_view pattern,
                                  DelayedHandler handler) {
  const auto wait = [handler](const Call& call, Response& response) {
    this_fiber::sleep_for(handler(call, response));  // or the thread that it is
  };
  if (auto status = add(method, pattern, wait); !status) return status;
  routes_.back().delayed = std::move(handler);
  return base::Done{};
}

base::Status WebSite::add_streaming(http::Method method, std::string_view pattern,
                                    Handler handler) {
  auto status = add(method, pattern, std::move(handler));
  if (status) routes_.back().is_streaming = true;
  return status;
}

bool WebSite::streams_body(const http::RequestHead& head) {
  if (head.form() == http::TargetForm::asterisk) return false;
  const http::Target target = http::split_target(head.path_and_query());
  std::string memory(target.path.size(), '\0');
  const auto path = http::resolve_path(target.path, memory);
  if (!path) return false;
  const http::RouteMatch match = router_.find(head.method(), *path);
  return match.kind == http::RouteMatch::Kind::found && routes_[match.route].is_streaming;
}

bool WebSite::answer_at_once(const Request& request, Response& response) {
  return answer(request, response, false);
}

std::optional<std::chrono::nanoseconds> WebSite::answer_after_wait(const Request& request,
                                                                   Response& response) {
  const http::Target target = http::split_target(request.head.path_and_query());
  std::string memory(target.path.size(), '\0');
  const auto path = http::resolve_path(target.path, memory);
  if (!path) return std::nullopt;
  const http::RouteMatch match = router_.find(request.head.method(), *path);
  if (match.kind != http::RouteMatch::Kind::found) return std::nullopt;
  const DelayedHandler& handler = routes_[match.route].delayed;
  if (!handler) return std::nullopt;
  return handler({request, target.query, router_, match}, response);
}

void WebSite::answer(const Request& request, Response& response) {
  answer(request, response, true);
}

bool WebSite::answer(const Request& request, Response& response, bool may_wait) {
  if (request.head.form() == http::TargetForm::asterisk) {
    response.set_status(204);
    response.add_field("Allow", http::allow_text(router_.allowed_anywhere()));
    return true;
  }
  const http::Target target = http::split_target(request.head.path_and_query());
  std::string memory(target.path.size(), '\0');
  const auto path = http::resolve_path(target.path, memory);
  if (!path) {
    set_error(response, 400, "the path is none");
    return true;
  }
  const http::RouteMatch match = router_.find(request.head.method(), *path);
  if (match.kind != http::RouteMatch::Kind::found) {
    return answer_unrouted(request, match, response, may_wait);
  }
  const Route& route = routes_[match.route];
  if (route.runs == Runs::on_a_worker && !may_wait) return false;
  call(route, {request, target.query, router_, match}, response);
  return true;
}

void WebSite::call(const Route& route, const Call& call, Response& response) const {
  if (!identifies_) return route.handler(call, response);
  const RequestScope scope(call.request);
  response.add_field("X-Request-Id", scope.correlation());
  route.handler(call, response);
}

bool WebSite::answer_unrouted(const Request& request, const http::RouteMatch& match,
                              Response& response, bool may_wait) {
  switch (match.kind) {
    case http::RouteMatch::Kind::options:
      response.set_status(204);
      response.add_field("Allow", http::allow_text(match.allowed));
      return true;
    case http::RouteMatch::Kind::method_not_allowed:
      response.add_field("Allow", http::allow_text(match.allowed));
      set_error(response, 405, "not with this method");
      return true;
    case http::RouteMatch::Kind::not_implemented:
      set_error(response, 501, "there is no such method");
      return true;
    case http::RouteMatch::Kind::found:
    case http::RouteMatch::Kind::not_found:
      break;
  }
  if (!files_) {
    set_error(response, 404, "there is no such page");
    return true;
  }
  if (!may_wait) return files_->answer_at_once(request, response);
  files_->answer(request, response);
  return true;
}

}  // namespace weft::serve
