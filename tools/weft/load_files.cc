// SPDX-License-Identifier: Apache-2.0
// Files of `weft load`: segments and overlays.
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "load.h"
#include "load/schedule_text.h"
#include "os/file.h"

namespace weft::tool {
namespace {

base::Error bad_segment(const std::string& path, std::size_t number, const std::string& what) {
  return {base::printable(path) + ", segment " + std::to_string(number) + ": " + what};
}

std::optional<load::PhaseKind> phase_of(const std::string& name) {
  for (const auto kind :
       {load::PhaseKind::quiet, load::PhaseKind::burst, load::PhaseKind::recovery}) {
    if (name == load::name_of(kind)) return kind;
  }
  return std::nullopt;
}

base::Result<load::Segment> segment_of(const nlohmann::json& json, const std::string& path,
                                       std::size_t number) {
  load::Segment segment;
  bool has_end = false;
  if (!json.is_object()) return bad_segment(path, number, "is no object");
  for (const auto& [key, value] : json.items()) {
    if (key == "length" && value.is_string()) {
      const auto length = load::parse_duration(value.get<std::string>());
      if (!length) return bad_segment(path, number, length.error().message);
      segment.length = *length;
    } else if (key == "rate" && value.is_number()) {
      segment.rate_at_begin = value;
    } else if (key == "to" && value.is_number()) {
      segment.rate_at_end = value;
      has_end = true;
    } else if (key == "together" && value.is_number_unsigned() && value > 0 && value <= 100'000) {
      segment.together = value;
    } else if (key == "uniform" && value.is_boolean()) {
      segment.spacing = value ? load::Spacing::uniform : load::Spacing::poisson;
    } else if (key == "phase" && value.is_string() && phase_of(value)) {
      segment.kind = *phase_of(value);
    } else {
      return bad_segment(path, number,
                         "'" + base::printable(key) +
                             "' is unknown or has no such value; there "
                             "are length, rate, to, together, uniform and phase");
    }
  }
  if (!has_end) segment.rate_at_end = segment.rate_at_begin;
  return segment;
}

}  // namespace

base::Result<std::vector<load::Segment>> read_segments(const std::string& path) {
  const auto text = os::read_text(path);
  if (!text) return text.error();
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (json.is_discarded() || !json.is_array()) {
    return base::Error{base::printable(path) +
                       " is no JSON array of segments such as {\"rate\": 200, \"length\": \"2s\"}"};
  }
  std::vector<load::Segment> segments;
  for (const auto& element : json) {
    const auto segment = segment_of(element, path, segments.size() + 1);
    if (!segment) return segment.error();
    segments.push_back(*segment);
  }
  return segments;
}

base::Result<load::Overlay> read_overlay(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return base::Error{"--overlay: '" + base::printable(text) + "' is not NAME=FILE"};
  }
  load::Overlay overlay{text.substr(0, equals), {}};
  const std::string path = text.substr(equals + 1);
  const auto content = os::read_text(path);
  if (!content) return content.error();
  std::string_view rest = *content;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    std::string_view line = base::trim(base::take_until(rest, '\n'));
    if (line.empty()) continue;
    const auto seconds = base::to_decimal(base::trim(base::take_until(line, ',')));
    const auto value = base::to_decimal(base::trim(base::take_until(line, ',')));
    if (seconds && value) {
      overlay.points.push_back({*seconds, *value});
    } else if (number != 1) {  // the first line may have names
      return base::Error{base::printable(path) + ", line " + std::to_string(number) +
                         ": is not SECONDS,VALUE"};
    }
  }
  if (overlay.points.empty()) return base::Error{base::printable(path) + " has no points in it"};
  return overlay;
}

}  // namespace weft::tool
