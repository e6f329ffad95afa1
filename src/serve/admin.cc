// SPDX-License-Identifier: Apache-2.0
// Health, readiness, numbers, and the dashboard.
#include "serve/admin.h"

#include <string>
#include <utility>

#include "base/text.h"
#include "http/characters.h"
#include "http/target.h"
#include "os/check.h"
#include "serve/admin_metrics.h"
#include "serve/dashboard.h"
#include "serve/history_json.h"

namespace weft::serve {
namespace {

void add_page(WebSite& site, std::string_view path, Handler handler) {
  const auto status = site.add(http::Method::get, path, std::move(handler));
  os::check(bool(status), "the paths of the admin port are none");
}

void say(Response& response, unsigned status, std::string_view constant_text) {
  response.set_status(status);
  response.set_type("text/plain; charset=utf-8");
  response.set_constant_body(constant_text);
}

// The page loads its own files and asks its own server; nobody puts it into a frame.
constexpr std::string_view policy_of_page =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

void add_safety(Response& response) {
  response.add_field("Content-Security-Policy", policy_of_page);
  response.add_field("X-Frame-Options", "DENY");
  response.add_field("X-Content-Type-Options", "nosniff");
  response.add_field("Referrer-Policy", "no-referrer");
  response.add_field("Cross-Origin-Resource-Policy", "same-origin");
  response.add_field("Cross-Origin-Opener-Policy", "same-origin");
  response.add_field("Cache-Control", "no-store");
}

}  // namespace

bool is_address_or_localhost(std::string_view authority) noexcept {
  if (authority.starts_with('[')) return true;  // the parser has seen that it is IPv6
  const std::string_view host = authority.substr(0, authority.rfind(':'));
  if (http::equals_ignoring_case(host, "localhost")) return true;
  return !host.empty() && host.find_first_not_of("0123456789.") == std::string_view::npos;
}

AdminSite::AdminSite(About about, const RunningServer& server, AskedBy asked_by, MoreMetrics more)
    : about_(std::move(about)),
      server_(server),
      asked_by_(asked_by),
      more_(std::move(more)),
      sampler_(server, machine_) {
  add_page(*this, "/healthz",
           [](const Call&, Response& response) { say(response, 200, "well\n"); });
  add_page(*this, "/readyz", [this](const Call&, Response& response) {
    draining_.load() ? say(response, 503, "ends\n") : say(response, 200, "ready\n");
  });
  add_numbers();
  add_dashboard();
}

void AdminSite::add_numbers() {
  add_page(*this, "/metrics", [this](const Call&, Response& response) {
    response.set_type("text/plain; version=0.0.4; charset=utf-8");
    PrometheusText more;
    if (more_) more_(more);
    response.set_body(
        metrics_text(about_, server_, look_at(server_, machine_), read_descriptors()) +
        more.take());
  });
  add_page(*this, "/history.json", [this](const Call& call, Response& response) {
    const auto since = http::find_parameter(call.query, "since");
    const auto after = base::to_number<std::uint64_t>(since.value_or("0"));
    if (!after) return set_error(response, 400, "since= wants a number");
    response.set_type("application/json");
    const ServerState state{std::chrono::steady_clock::now(), draining_.load()};
    sampler_.read([&](const History& history) {
      response.set_body(history_json(about_, state, history, *after));
    });
  });
}

void AdminSite::add_dashboard() {
  for (const DashboardFile& file : dashboard_files()) {
    add_page(*this, file.path, [&file](const Call&, Response& response) {
      response.set_type(file.type);
      response.set_constant_body(file.content);
    });
  }
}

void AdminSite::answer(const Request& request, Response& response) {
  add_safety(response);
  const http::Method method = request.head.method();
  if (method != http::Method::get && method != http::Method::head) {
    response.add_field("Allow", "GET, HEAD");
    return set_error(response, 405, "here is only something to look at");
  }
  // HTTP/1.0 names nobody, and no browser speaks it.
  const std::string_view authority = request.head.authority();
  if (asked_by_ == AskedBy::address && !authority.empty() && !is_address_or_localhost(authority)) {
    return set_error(response, 421, "ask by the address, or as localhost");
  }
  WebSite::answer(request, response);
}

}  // namespace weft::serve
