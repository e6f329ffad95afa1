// SPDX-License-Identifier: Apache-2.0
// A panel of a picture: two axes, lines and areas in them, as SVG text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::load {

struct Axis {
  double low = 0;
  double high = 1;
  bool is_logarithmic = false;

  double share_of(double value) const;  // 0 at low, 1 at high; what is beyond is cut
};

struct Tick {
  double value = 0;
  std::string text;
};
// Round values between the ends of an axis, each with its text: times in ns, us, ms and s, or plain
// numbers.
std::vector<Tick> time_ticks(const Axis& axis);
std::vector<Tick> number_ticks(const Axis& axis);

using Points = std::vector<std::pair<double, double>>;

class Panel {
 public:
  struct Place {
    double left = 0;
    double top = 0;
    double width = 0;
    double height = 0;
  };
  Panel(const Place& place, const Axis& across, const Axis& up)
      : place_(place), across_(across), up_(up) {}

  void title(std::string_view text);
  void ticks_across(const std::vector<Tick>& ticks);
  void ticks_up(const std::vector<Tick>& ticks);
  void shade(double from, double to, std::string_view tooltip);
  // `style` is a class of the style sheet. Points that are not finite interrupt the line.
  void line(const Points& points, std::string_view style);
  // As line(), but each value holds until the next point.
  void steps(const Points& points, std::string_view style);
  // Names the lines, in a row at the right of the title.
  void legend(const std::vector<std::pair<std::string, std::string>>& name_and_style);
  const std::string& text() const noexcept { return text_; }

 private:
  double x_of(double value) const { return place_.left + place_.width * across_.share_of(value); }
  double y_of(double value) const { return place_.top + place_.height * (1 - up_.share_of(value)); }

  Place place_;
  Axis across_;
  Axis up_;
  std::string text_;
};

// Text as XML has it.
std::string escaped(std::string_view text);

}  // namespace weft::load
