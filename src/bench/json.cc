// SPDX-License-Identifier: Apache-2.0
// The only file of the frame that knows the JSON library, which takes long to compile.
#include "bench/json.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace weft::bench {
namespace {

using Json = nlohmann::ordered_json;

// Whole numbers without a point, as people would write them.
Json number(double value) {
  constexpr double largest_exact = 9007199254740992;  // 2^53
  if (std::abs(value) <= largest_exact && value == std::round(value)) {
    return static_cast<std::int64_t>(value);
  }
  return value;  // null where it is NaN or infinite
}

Json row_json(const Row& row) {
  Json json;
  json["name"] = row.name;
  json["ours"] = number(row.ours);
  json["rival"] = row.rival ? number(*row.rival) : Json(nullptr);
  json["rival_name"] = row.rival_name.empty() ? Json(nullptr) : Json(row.rival_name);
  json["ratio"] = row.ratio ? number(row.ratio->median) : Json(nullptr);
  json["bar"] = row.bar ? Json(to_text(*row.bar, row.unit)) : Json(nullptr);
  json["holds"] = row.holds ? Json(*row.holds) : Json(nullptr);
  if (row.ratio) {
    json["ratio_low"] = number(row.ratio->low);
    json["ratio_high"] = number(row.ratio->high);
  }
  if (!row.unit.empty()) json["unit"] = row.unit;
  json["samples"] = row.samples;
  if (row.rival_right) json["rival_right"] = *row.rival_right;
  for (const auto& [name, value] : row.details) json[name] = number(value);
  return json;
}

// Text from other programs may hold anything; bad UTF-8 is replaced instead of thrown at us.
std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const std::string& benchmark, const Report& report) {
  Json json;
  json["benchmark"] = benchmark;
  json["rows"] = Json::array();
  for (const Row& row : report.rows) json["rows"].push_back(row_json(row));
  json["notes"] = report.notes;
  return dump(json);
}

std::string to_json(const std::vector<Benchmark>& benchmarks) {
  Json json;
  json["benchmarks"] = Json::array();
  for (const Benchmark& benchmark : benchmarks) {
    json["benchmarks"].push_back({{"name", benchmark.name}, {"summary", benchmark.summary}});
  }
  return dump(json);
}

base::Result<double> number_at(const std::string& text, const std::string& pointer) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return base::Error{"not JSON: '" + base::printable(text) + "'"};
  const Json::json_pointer place(pointer);
  if (!json.contains(place) || !json.at(place).is_number()) {
    return base::Error{"no number at " + pointer + " of '" + base::printable(text) + "'"};
  }
  return json.at(place).get<double>();
}

}  // namespace weft::bench
