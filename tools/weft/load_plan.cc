// SPDX-License-Identifier: Apache-2.0
// Options of `weft load` become a plan; what cannot be kept is named by its option.
#include <weft/pressure.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"
#include "load.h"
#include "load/schedule_text.h"
#include "os/file.h"

namespace weft::tool {
namespace {

using std::chrono::nanoseconds;

base::Error of_option(const char* option, const base::Error& error) {
  return {std::string(option) + ": " + error.message, error.code};
}

base::Result<std::vector<load::Request>> requests_of(const LoadArguments& arguments) {
  std::string body = arguments.body;
  if (!arguments.body_file.empty()) {
    auto text = os::read_text(arguments.body_file);
    if (!text) return of_option("--body-file", text.error());
    body = std::move(*text);
  }
  std::vector<load::Request> requests;
  for (const std::string& text : arguments.urls) {
    load::Request request{text, 1, arguments.method, arguments.headers, body};
    // A number before "=" is a weight; a URL has its "=" behind the scheme.
    if (const auto equals = text.find('='); equals < text.find("://")) {
      const auto weight = base::to_decimal(std::string_view(text).substr(0, equals));
      if (!weight || *weight <= 0) {
        return base::Error{"'" + base::printable(text) + "': the weight is no number above 0"};
      }
      request.weight = *weight;
      request.url = text.substr(equals + 1);
    }
    requests.push_back(std::move(request));
  }
  if (requests.empty()) return base::Error{"give a URL to load; see 'weft help load'"};
  return requests;
}

base::Result<std::vector<load::Segment>> segments_of(const LoadArguments& arguments,
                                                     nanoseconds duration) {
  if (!arguments.schedule.empty()) return read_segments(arguments.schedule);
  if (arguments.original) return load::original_burst_test(duration);
  const auto spacing = arguments.uniform ? load::Spacing::uniform : load::Spacing::poisson;
  const auto rate = load::parse_rate(arguments.rate.empty() ? "100" : arguments.rate);
  if (!rate) return of_option("--rate", rate.error());
  if (!arguments.burst.empty()) {
    const auto burst = load::parse_burst(arguments.burst, *rate);
    if (!burst) return of_option("--burst", burst.error());
    if (burst->period > duration) {
      return base::Error{"--burst: its period is longer than the whole run"};
    }
    return load::square_bursts(*rate, *burst, duration, spacing);
  }
  if (!arguments.ramp.empty()) {
    const auto to = load::parse_rate(arguments.ramp);
    if (!to) return of_option("--ramp", to.error());
    return load::ramp(*rate, *to, duration, spacing);
  }
  if (!arguments.on_off.empty()) {
    const auto times = load::parse_on_off(arguments.on_off);
    if (!times) return of_option("--on-off", times.error());
    return load::on_off(*rate, times->on, times->off, duration, spacing);
  }
  return load::steady(*rate, duration, spacing);
}

base::Result<std::vector<int>> cpus_of(const std::string& text) {
  std::vector<int> cpus;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto cpu = base::to_number<int>(base::take_until(rest, ','));
    if (!cpu || *cpu < 0) {
      return base::Error{"--cpu: '" + base::printable(text) + "' is no list such as 1 or 2,3"};
    }
    cpus.push_back(*cpu);
  }
  return cpus;
}

// Of the groups above us the one that was throttled most: it stopped us, too.
nanoseconds throttled_so_far() {
  nanoseconds most{0};
  for (const budget::Throttling& group : budget::read_pressure().throttling) {
    most = std::max(most, group.throttled);
  }
  return most;
}

}  // namespace

base::Result<load::Plan> load_plan(const LoadArguments& arguments) {
  load::Plan plan;
  auto requests = requests_of(arguments);
  if (!requests) return requests.error();
  plan.requests = std::move(*requests);

  const char* const usual = arguments.original ? "105s" : "10s";
  const auto duration =
      load::parse_duration(arguments.duration.empty() ? usual : arguments.duration);
  if (!duration) return of_option("--duration", duration.error());
  const auto timeout = load::parse_duration(arguments.timeout);
  if (!timeout) return of_option("--timeout", timeout.error());
  plan.timeout = *timeout;

  if (arguments.closed) {
    constexpr int usual_connections = 64;
    const int given = arguments.connections == 0 ? usual_connections : arguments.connections;
    plan.closed = load::Closed{static_cast<unsigned>(given), *duration, arguments.requests};
    plan.schedule.seed = arguments.seed;
    plan.keeps_samples = !arguments.samples.empty() || !arguments.svg.empty();
  } else {
    const auto segments = segments_of(arguments, *duration);
    if (!segments) return segments.error();
    auto schedule = load::make_schedule(*segments, arguments.seed, load::most_requests());
    if (!schedule) return schedule.error();
    plan.schedule = std::move(*schedule);
    if (arguments.connections != 0) {
      plan.most_connections = static_cast<unsigned>(arguments.connections);
    }
    if (arguments.ready > static_cast<int>(plan.most_connections)) {
      return base::Error{"--ready: there may be only " + std::to_string(plan.most_connections) +
                         " connections, see --connections"};
    }
    plan.ready_connections = static_cast<unsigned>(arguments.ready);
  }
  plan.new_connection_each = arguments.new_connections;
  plan.threads = static_cast<unsigned>(arguments.threads);
  auto cpus = cpus_of(arguments.cpus);
  if (!cpus) return cpus.error();
  plan.cpus = std::move(*cpus);
  plan.spins = arguments.spin;
  plan.trusts_anybody = arguments.insecure;
  plan.authorities_file = arguments.authorities;
  plan.throttled = throttled_so_far;
  return plan;
}

}  // namespace weft::tool
