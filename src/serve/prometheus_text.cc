// SPDX-License-Identifier: Apache-2.0
// Names, help, types and numbers.
#include "serve/prometheus_text.h"

namespace weft::serve {
namespace {

using namespace std::chrono_literals;

struct Bound {
  std::chrono::nanoseconds time;
  std::string_view label;
};

constexpr Bound bounds[] = {
    {50us, "{le=\"5e-05\"}"},   {100us, "{le=\"0.0001\"}"}, {200us, "{le=\"0.0002\"}"},
    {500us, "{le=\"0.0005\"}"}, {1ms, "{le=\"0.001\"}"},    {2ms, "{le=\"0.002\"}"},
    {5ms, "{le=\"0.005\"}"},    {10ms, "{le=\"0.01\"}"},    {20ms, "{le=\"0.02\"}"},
    {50ms, "{le=\"0.05\"}"},    {100ms, "{le=\"0.1\"}"},    {200ms, "{le=\"0.2\"}"},
    {500ms, "{le=\"0.5\"}"},    {1s, "{le=\"1\"}"},         {2s, "{le=\"2\"}"},
    {5s, "{le=\"5\"}"},         {10s, "{le=\"10\"}"},       {20s, "{le=\"20\"}"},
    {50s, "{le=\"50\"}"},
};

}  // namespace

void PrometheusText::describe(std::string_view name, std::string_view type, std::string_view help) {
  text_.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ");
  text_.append(name).append(" ").append(type).append("\n");
}

void PrometheusText::histogram(std::string_view name, std::string_view help,
                               const measure::Snapshot& times) {
  describe(name, "histogram", help);
  const std::string buckets = std::string(name) + "_bucket";
  for (const Bound& bound : bounds) sample(buckets, bound.label, times.count_up_to(bound.time));
  sample(buckets, "{le=\"+Inf\"}", times.count());
  sample(std::string(name) + "_sum", "", std::chrono::duration<double>(times.sum()).count());
  sample(std::string(name) + "_count", "", times.count());
}

std::string label_value(std::string_view text) {
  std::string escaped = "\"";
  for (const char letter : text) {
    if (letter == '\n') {
      escaped += "\\n";
      continue;
    }
    if (letter == '"' || letter == '\\') escaped += '\\';
    escaped += letter;
  }
  return escaped + '"';
}

}  // namespace weft::serve
