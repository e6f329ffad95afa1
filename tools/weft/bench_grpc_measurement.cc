// SPDX-License-Identifier: Apache-2.0
// Summaries of h2load and of weft-bench-grpc.
#include "bench_grpc_measurement.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "bench/statistics.h"

namespace weft::tool {
namespace {

using Json = nlohmann::json;

constexpr double mega = 1e6;

base::Error not_as_expected(const char* program, std::string_view text) {
  return base::Error{std::string("what ") + program +
                     " printed has not the numbers that it should: '" +
                     base::printable(base::trim(text), 300) + "'"};
}

// The number in front of a word, as in "3 failed, 0 errored".
std::optional<double> before(std::string_view line, std::string_view word) {
  std::string_view last;
  while (!line.empty()) {
    std::string_view field = base::take_field(line);
    if (field.ends_with(',')) field.remove_suffix(1);
    if (field == word) return base::to_decimal(last);
    last = field;
  }
  return std::nullopt;
}

base::Result<Json> parse(const std::string& text, const char* needs) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains(needs)) {
    return not_as_expected("weft-bench-grpc", text);
  }
  return json;
}

double number_of(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

}  // namespace

base::Result<GrpcNumbers> parse_h2load_summary(std::string_view text) {
  std::optional<double> rate;
  std::optional<double> good;
  std::optional<double> total;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = base::take_until(rest, '\n');
    if (line.starts_with("finished in")) rate = before(line, "req/s");
    if (line.starts_with("requests:")) total = before(line, "done");
    if (line.starts_with("status codes:")) good = before(line, "2xx");
  }
  if (!rate || !good || !total || *total == 0) return not_as_expected("h2load", text);
  if (*good < *total) {
    return base::Error{"of " + base::to_text(*total) + " calls only " + base::to_text(*good) +
                       " were answered well"};
  }
  return GrpcNumbers{{"rate", *rate}};
}

base::Result<GrpcNumbers> parse_grpc_load(const std::string& text) {
  const auto json = parse(text, "calls_per_second");
  if (!json) return json.error();
  if (const double failed = number_of(*json, "failed"); failed > 0) {
    return base::Error{base::to_text(failed) + " calls failed"};
  }
  return GrpcNumbers{{"rate", number_of(*json, "calls_per_second")},
                     {"p50", number_of(*json, "p50_microseconds")},
                     {"p99", number_of(*json, "p99_microseconds")}};
}

base::Result<HttpMeasurement> parse_grpc_open_load(const std::string& text) {
  const auto json = parse(text, "calls");
  if (!json) return json.error();
  HttpMeasurement measured;
  const double calls = number_of(*json, "calls");
  const double answered = number_of(*json, "good") + number_of(*json, "refused");
  measured.failed = calls > 0 ? (calls - answered) / calls : 0;
  measured.void_because = json->value("void_because", "");
  return measured;
}

base::Result<GrpcNumbers> parse_grpc_readers(const std::string& text) {
  const auto json = parse(text, "slowest_per_second");
  if (!json) return json.error();
  if (const double failed = number_of(*json, "failed"); failed > 0) {
    return base::Error{base::to_text(failed) + " streams ended by themselves"};
  }
  return GrpcNumbers{{"rate", number_of(*json, "bytes_per_second") / mega},
                     {"slowest", number_of(*json, "slowest_per_second") / mega}};
}

std::optional<int> parse_port(std::string_view text) {
  constexpr std::string_view begin = "listening on ";
  const auto found = text.find(begin);
  if (found == std::string_view::npos) return std::nullopt;
  text.remove_prefix(found + begin.size());
  if (text.find('\n') == std::string_view::npos) return std::nullopt;  // not all of it, perhaps
  return base::to_number<int>(base::trim(base::take_until(text, '\n')));
}

double growth_of(const std::vector<double>& samples) {
  const auto third = static_cast<std::ptrdiff_t>(samples.size() / 3);
  if (third == 0) return std::numeric_limits<double>::quiet_NaN();
  return bench::median({samples.end() - third, samples.end()}) /
         bench::median({samples.begin(), samples.begin() + third});
}

std::string grpc_body(std::string_view text) {
  constexpr char first_field_of_bytes = 0x0a;
  std::string message(1, first_field_of_bytes);
  std::size_t length = text.size();
  for (; length >= 0x80; length >>= 7) message += static_cast<char>((length & 0x7f) | 0x80);
  message += static_cast<char>(length);
  message += text;
  std::string body(1, '\0');  // not compressed
  for (int shift = 24; shift >= 0; shift -= 8) {
    body += static_cast<char>((message.size() >> shift) & 0xff);
  }
  return body + message;
}

}  // namespace weft::tool
