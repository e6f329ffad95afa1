// SPDX-License-Identifier: Apache-2.0
// Health, readiness, and numbers.
#include "serve/admin.h"

#include <charconv>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "os/check.h"
#include "pool/metrics.h"

namespace weft::serve {
namespace {

class Text {
 public:
  void describe(std::string_view name, std::string_view type, std::string_view help) {
    text_.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ");
    text_.append(name).append(" ").append(type).append("\n");
  }
  template <class Number>
  void sample(std::string_view name, std::string_view labels, Number value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
    text_.append(name).append(labels).append(" ");
    text_.append(digits, static_cast<std::size_t>(end - digits)).append("\n");
  }
  void one(std::string_view name, std::string_view type, std::string_view help,
           std::uint64_t value) {
    describe(name, type, help);
    sample(name, "", value);
  }
  void quantiles(std::string_view name, std::string_view help, const measure::Snapshot& times) {
    describe(name, "summary", help);
    for (const auto& [share, label] : {std::pair{0.5, "{quantile=\"0.5\"}"},
                                       {0.9, "{quantile=\"0.9\"}"},
                                       {0.99, "{quantile=\"0.99\"}"},
                                       {0.999, "{quantile=\"0.999\"}"}}) {
      sample(name, label, seconds_of(times.quantile(share)));
    }
    sample(std::string(name) + "_sum", "", seconds_of(times.sum()));
    sample(std::string(name) + "_count", "", times.count());
  }
  std::string take() { return std::move(text_); }

 private:
  static double seconds_of(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
  }
  std::string text_;
};

void write_pool(Text& text, const Pool& pool) {
  const PoolCounters counters = pool.counters();
  text.one("weft_pool_threads", "gauge", "Threads of the pool.", counters.threads);
  text.one("weft_pool_busy", "gauge", "Threads that run a handler.", counters.busy);
  text.one("weft_pool_allowed", "gauge", "Handlers that may run at once.", counters.allowed);
  text.one("weft_pool_queued", "gauge", "Requests that wait for a thread.", counters.queued);
  text.one("weft_pool_grown_total", "counter", "Threads started after the first.", counters.grown);
  text.one("weft_pool_retired_total", "counter", "Threads that were ended.", counters.retired);
  text.one("weft_pool_shed_total", "counter", "Requests that waited too long.", counters.shed);
  text.one("weft_cpu_budget", "gauge", "CPUs that handlers may use.", counters.cpus);
  const pool::Metrics& metrics = pool.metrics();
  text.quantiles("weft_request_wait_seconds", "From accepted to started.",
                 metrics.waited.snapshot());
  text.quantiles("weft_request_handle_seconds", "From started to answered.",
                 metrics.handled.snapshot());
}

void add_page(WebSite& site, std::string_view path, Handler handler) {
  const auto status = site.add(http::Method::get, path, std::move(handler));
  os::check(bool(status), "the paths of the admin port are none");
}

void say(Response& response, unsigned status, std::string_view constant_text) {
  response.set_status(status);
  response.set_type("text/plain; charset=utf-8");
  response.set_constant_body(constant_text);
}

}  // namespace

std::string metrics_text(const RunningServer& server) {
  Text text;
  const Totals totals = server.totals();
  text.one("weft_connections_total", "counter", "Connections accepted.", totals.accepted);
  text.one("weft_connections", "gauge", "Connections now.", totals.open);
  text.one("weft_connections_refused_total", "counter", "Connections beyond a limit.",
           totals.refused);
  text.describe("weft_responses_total", "counter", "Responses, by kind of status.");
  constexpr std::string_view kinds[] = {
      "", "{code=\"1xx\"}", "{code=\"2xx\"}", "{code=\"3xx\"}", "{code=\"4xx\"}", "{code=\"5xx\"}"};
  for (std::size_t i = 2; i < std::size(kinds); ++i) {
    text.sample("weft_responses_total", kinds[i], totals.responses_by_kind[i]);
  }
  text.one("weft_responses_at_once_total", "counter", "Responses that needed no worker.",
           totals.at_once);
  text.one("weft_overloaded_total", "counter", "Requests answered 503 for want of room.",
           totals.overloaded);
  text.one("weft_handlers_failed_total", "counter", "Handlers that threw.", totals.failed);
  if (server.workers() != nullptr) write_pool(text, *server.workers());
  return text.take();
}

AdminSite::AdminSite(const RunningServer& server) : server_(server) {
  add_page(*this, "/healthz",
           [](const Call&, Response& response) { say(response, 200, "well\n"); });
  add_page(*this, "/readyz", [this](const Call&, Response& response) {
    ready_.load() ? say(response, 200, "ready\n") : say(response, 503, "ends\n");
  });
  add_page(*this, "/metrics", [this](const Call&, Response& response) {
    response.set_type("text/plain; version=0.0.4; charset=utf-8");
    response.set_body(metrics_text(server_));
  });
}

}  // namespace weft::serve
