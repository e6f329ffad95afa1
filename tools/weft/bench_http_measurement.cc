// SPDX-License-Identifier: Apache-2.0
// JSON, text and CSV of three generators, as the same numbers.
#include "bench_http_measurement.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "bench/statistics.h"

namespace weft::tool {
namespace {

using Json = nlohmann::json;

constexpr double milliseconds = 1e3;

base::Error not_as_expected(const char* program, std::string_view text) {
  return base::Error{std::string("what ") + program +
                     " printed has not the numbers that it should: '" +
                     base::printable(base::trim(text), 300) + "'"};
}

double number_of(const Json& json, const char* pointer) {
  const Json::json_pointer place(pointer);
  return json.contains(place) && json.at(place).is_number() ? json.at(place).get<double>() : 0;
}

double longest_recovery(const Json& report) {
  double longest = 0;
  for (const Json& burst : report.value("bursts", Json::array())) {
    longest = std::max(longest, number_of(burst, "/recovery"));
  }
  return longest;
}

// "12.34ms" as wrk writes it, in milliseconds.
std::optional<double> parse_wrk_time(std::string_view text) {
  for (const auto& [unit, factor] : {std::pair{"us", 1e-3}, {"ms", 1.0}, {"s", 1e3}, {"m", 60e3}}) {
    if (!text.ends_with(unit)) continue;
    const auto number =
        base::to_decimal(text.substr(0, text.size() - std::string_view(unit).size()));
    if (number) return *number * factor;
  }
  return std::nullopt;
}

}  // namespace

base::Result<HttpMeasurement> parse_load_report(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.contains("latency")) return not_as_expected("weft load", text);
  HttpMeasurement run;
  run.p50 = milliseconds * number_of(json, "/latency/served/p50");
  run.p90 = milliseconds * number_of(json, "/latency/served/p90");
  run.p99 = milliseconds * number_of(json, "/latency/served/p99");
  run.p999 = milliseconds * number_of(json, "/latency/served/p99.9");
  run.burst_p99 = milliseconds * number_of(json, "/latency/in_bursts/p99");
  run.slip_p99 = milliseconds * number_of(json, "/slip/p99");
  run.recovery = milliseconds * longest_recovery(json);
  run.offered = number_of(json, "/rate/offered");
  run.goodput = number_of(json, "/rate/good");
  double all = 0;
  for (const auto& count : json.value("counts", Json::object())) all += count.get<double>();
  if (all == 0) return base::Error{"weft load has asked nothing"};
  const double good = number_of(json, "/counts/good");
  run.rejected = number_of(json, "/latency/rejected/count") / all;
  run.failed = std::max(0.0, 1 - good / all - run.rejected);
  run.generator_cpu = number_of(json, "/generator/work_share");
  for (const Json& reason : json.value("void_because", Json::array())) {
    run.void_because += (run.void_because.empty() ? "" : "; ") + reason.get<std::string>();
  }
  return run;
}

base::Result<HttpMeasurement> parse_wrk(std::string_view text) {
  HttpMeasurement run;
  double requests = 0;
  double errors = 0;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = base::take_until(rest, '\n');
    const std::string_view first = base::take_field(line);
    std::string_view words = line;
    const std::string_view second = base::take_field(words);
    if (first == "Requests/sec:") run.goodput = base::to_decimal(second).value_or(0);
    if (first == "50%") run.p50 = parse_wrk_time(second).value_or(0);
    if (first == "90%") run.p90 = parse_wrk_time(second).value_or(0);
    if (first == "99%") run.p99 = parse_wrk_time(second).value_or(0);
    if (second == "requests") requests = base::to_decimal(first).value_or(0);
    if (first == "Non-2xx") {
      const auto colon = line.rfind(':');
      errors = base::to_decimal(base::trim(line.substr(colon + 1))).value_or(0);
    }
  }
  if (run.goodput == 0 || requests == 0) return not_as_expected("wrk", text);
  run.offered = run.goodput;
  run.rejected = errors / requests;
  run.goodput *= 1 - run.rejected;
  return run;
}

base::Result<HttpMeasurement> parse_h2load_log(std::string_view text) {
  std::vector<double> times;
  double failed = 0;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = base::take_until(rest, '\n');
    base::take_field(line);
    const auto status = base::to_number<int>(base::take_field(line));
    const auto microseconds = base::to_decimal(base::take_field(line));
    if (!status || !microseconds || *status != 200) {
      ++failed;
    } else {
      times.push_back(*microseconds / milliseconds);
    }
  }
  if (times.empty()) return not_as_expected("h2load", text);
  HttpMeasurement run;
  run.p50 = bench::quantile(times, 0.5);
  run.p90 = bench::quantile(times, 0.9);
  run.p99 = bench::quantile(times, 0.99);
  run.p999 = bench::quantile(times, 0.999);
  run.failed = failed / (failed + static_cast<double>(times.size()));
  return run;
}

base::Result<std::vector<HttpSample>> parse_samples(std::string_view text, double timeout) {
  std::vector<HttpSample> samples;
  base::take_until(text, '\n');  // the names
  while (!text.empty()) {
    std::string_view line = base::take_until(text, '\n');
    const std::string_view whole = line;
    std::vector<std::string_view> fields;
    while (!line.empty()) fields.push_back(base::take_until(line, ','));
    constexpr std::size_t field_count = 10;
    if (fields.size() != field_count) return not_as_expected("weft load --samples", whole);
    const auto intended = base::to_decimal(fields[0]);
    const auto begun = base::to_decimal(fields[1]);
    const auto end = base::to_decimal(fields[4]);
    if (!intended || !begun || !end) return not_as_expected("weft load --samples", whole);
    const bool is_good = fields[7] == "good";
    samples.push_back({.intended = *intended,
                       .latency = is_good ? (*end - *intended) * milliseconds : timeout,
                       .is_good = is_good,
                       .is_in_burst = fields[9].starts_with("burst"),
                       .slip = (*begun - *intended) * milliseconds});
  }
  return samples;
}

double asked_p99(const std::vector<HttpSample>& samples) {
  std::vector<double> latencies;
  latencies.reserve(samples.size());
  for (const HttpSample& sample : samples) latencies.push_back(sample.latency);
  return bench::quantile(std::move(latencies), 0.99);
}

}  // namespace weft::tool
