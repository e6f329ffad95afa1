// SPDX-License-Identifier: Apache-2.0
// Coordinates to a tenth of a pixel: nobody sees more, and the file stays small.
#include "load/plot_panel.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace weft::load {
namespace {

std::string number(double value) {
  return base::to_text(value, 1);
}

std::string time_text(double nanoseconds) {
  if (nanoseconds < 1e3) return base::to_text(nanoseconds, 0) + " ns";
  if (nanoseconds < 1e6) return base::to_text(nanoseconds / 1e3, 0) + " us";
  if (nanoseconds < 1e9) return base::to_text(nanoseconds / 1e6, 0) + " ms";
  return base::to_text(nanoseconds / 1e9, 0) + " s";
}

std::string element(std::string_view style, const std::string& path) {
  return "<path class=\"" + std::string(style) + "\" d=\"" + path + "\"/>\n";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

double Axis::share_of(double value) const {
  if (is_logarithmic) {
    const double least = std::max(value, low);
    return std::min(1.0, std::log(least / low) / std::log(high / low));
  }
  return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

std::vector<Tick> time_ticks(const Axis& axis) {
  std::vector<Tick> ticks;
  const bool is_wide = axis.high / axis.low > 1e3;
  constexpr int most_powers = 16;  // of nanoseconds: beyond a week
  for (int i = 0; i < most_powers; ++i) {
    const double power = std::pow(10, i);
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double value = power * digit;
      if (value < axis.low || value > axis.high || (is_wide && digit != 1)) continue;
      ticks.push_back({value, time_text(value)});
    }
  }
  return ticks;
}

std::vector<Tick> number_ticks(const Axis& axis) {
  constexpr double wanted = 5;
  const double rough = (axis.high - axis.low) / wanted;
  double step = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {2.0, 2.5, 2.0}) {  // 2, 5 and 10 times the power of ten
    if (step < rough) step *= factor;
  }
  std::vector<Tick> ticks;
  const auto first = static_cast<int>(std::ceil(axis.low / step));
  const auto last = static_cast<int>(std::floor(axis.high / step * (1 + 1e-9)));
  for (int i = first; i <= last; ++i) ticks.push_back({i * step, base::to_text(i * step, 3)});
  return ticks;
}

void Panel::title(std::string_view text) {
  text_ += "<text class=\"title\" x=\"" + number(place_.left) + "\" y=\"" +
           number(place_.top - 10) + "\">" + escaped(text) + "</text>\n";
}

void Panel::ticks_across(const std::vector<Tick>& ticks) {
  const double bottom = place_.top + place_.height;
  for (const Tick& tick : ticks) {
    const std::string x = number(x_of(tick.value));
    text_ += element("grid", "M" + x + " " + number(place_.top) + "V" + number(bottom));
    text_ += "<text class=\"tick\" text-anchor=\"middle\" x=\"" + x + "\" y=\"" +
             number(bottom + 16) + "\">" + escaped(tick.text) + "</text>\n";
  }
}

void Panel::ticks_up(const std::vector<Tick>& ticks) {
  for (const Tick& tick : ticks) {
    const double y = y_of(tick.value);
    text_ +=
        element("grid", "M" + number(place_.left) + " " + number(y) + "h" + number(place_.width));
    text_ += "<text class=\"tick\" text-anchor=\"end\" x=\"" + number(place_.left - 6) + "\" y=\"" +
             number(y + 4) + "\">" + escaped(tick.text) + "</text>\n";
  }
}

void Panel::shade(double from, double to, std::string_view tooltip) {
  const double left = x_of(from);
  text_ += "<rect class=\"burst\" x=\"" + number(left) + "\" y=\"" + number(place_.top) +
           "\" width=\"" + number(std::max(x_of(to) - left, 0.5)) + "\" height=\"" +
           number(place_.height) + "\"><title>" + escaped(tooltip) + "</title></rect>\n";
}

void Panel::line(const Points& points, std::string_view style) {
  std::string path;
  bool is_broken = true;
  for (const auto& [across, up] : points) {
    if (!std::isfinite(up)) {
      is_broken = true;
      continue;
    }
    path += (is_broken ? "M" : "L") + number(x_of(across)) + " " + number(y_of(up));
    is_broken = false;
  }
  if (!path.empty()) text_ += element(style, path);
}

void Panel::steps(const Points& points, std::string_view style) {
  Points corners;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i != 0) corners.emplace_back(points[i].first, points[i - 1].second);
    corners.push_back(points[i]);
  }
  if (!points.empty()) corners.emplace_back(across_.high, points.back().second);
  line(corners, style);
}

void Panel::legend(const std::vector<std::pair<std::string, std::string>>& name_and_style) {
  constexpr double letter = 6.8;  // as wide as one is on the average
  double x = place_.left + place_.width;
  for (auto entry = name_and_style.rbegin(); entry != name_and_style.rend(); ++entry) {
    const double y = place_.top - 14;
    x -= static_cast<double>(entry->first.size()) * letter;
    text_ += "<text class=\"tick\" x=\"" + number(x) + "\" y=\"" + number(y + 4) + "\">" +
             escaped(entry->first) + "</text>\n";
    text_ += element(entry->second, "M" + number(x - 24) + " " + number(y) + "h18");
    x -= 38;
  }
}

}  // namespace weft::load
