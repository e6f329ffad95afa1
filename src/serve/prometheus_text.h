// SPDX-License-Identifier: Apache-2.0
// PrometheusText: families of samples, in the text format of Prometheus (version 0.0.4).
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "measure/histogram.h"

namespace weft::serve {

class PrometheusText {
 public:
  // Begins a family: once for each name, with its samples right behind.
  void describe(std::string_view name, std::string_view type, std::string_view help);
  // Labels as they are written, braces and all, or none.
  template <class Number>
  void sample(std::string_view name, std::string_view labels, Number value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
    text_.append(name).append(labels).append(" ");
    text_.append(digits, static_cast<std::size_t>(end - digits)).append("\n");
  }
  // A family of one sample.
  template <class Number>
  void counter(std::string_view name, std::string_view help, Number value) {
    describe(name, "counter", help);
    sample(name, "", value);
  }
  template <class Number>
  void gauge(std::string_view name, std::string_view help, Number value) {
    describe(name, "gauge", help);
    sample(name, "", value);
  }
  // With buckets from 50 us to 50 s, three for each ten times.
  void histogram(std::string_view name, std::string_view help, const measure::Snapshot& times);

  std::string take() noexcept { return std::move(text_); }

 private:
  std::string text_;
};

// A value of a label: quotes, backslashes and line ends in it are escaped.
std::string label_value(std::string_view text);

}  // namespace weft::serve
