// SPDX-License-Identifier: Apache-2.0
// Rows of numbers.
#include "serve/history_json.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "serve/sampler.h"
#include "serve/seconds.h"

namespace weft::serve {
namespace {

class Json {
 public:
  Json& raw(std::string_view text) {
    text_ += text;
    return *this;
  }
  Json& string(std::string_view text) {
    text_ += '"';
    for (const char letter : text) {
      if (letter == '"' || letter == '\\') text_ += '\\';
      // Control characters have no place in any of these, but a reader must not trip over one.
      text_ += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
    }
    text_ += '"';
    return *this;
  }
  Json& count(std::uint64_t value) { return raw(std::to_string(value)); }
  // Six digits are more than a plot can show.
  Json& number(double value) { return write(value, std::chars_format::general, 6); }
  Json& time(double seconds) { return write(seconds, std::chars_format::fixed, 3); }
  std::string take() noexcept { return std::move(text_); }

 private:
  Json& write(double value, std::chars_format format, int precision) {
    if (!std::isfinite(value)) return raw("null");
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof(digits), value, format, precision).ptr;
    return raw({digits, static_cast<std::size_t>(end - digits)});
  }

  std::string text_;
};

void write_about(Json& json, const About& about, const ServerState& state) {
  json.raw("{\"version\":").string(about.version).raw(",\"policy\":").string(about.policy);
  json.raw(",\"listens\":[");
  for (std::size_t i = 0; i < about.listens.size(); ++i) {
    json.raw(i == 0 ? "" : ",").string(about.listens[i]);
  }
  json.raw("],\"began\":").time(seconds_of(about.began.time_since_epoch()));
  json.raw(",\"up\":").time(seconds_of(state.now - about.began_steadily));
  json.raw(",\"state\":").string(state.is_draining ? "draining" : "serving");
}

// What the plots will not have, and why.
void write_missing(Json& json, const About& about, const Look& last) {
  json.raw(",\"missing\":{");
  std::string_view comma;
  const auto say = [&](std::string_view what, const std::string& why) {
    json.raw(comma).string(what).raw(":").string(why);
    comma = ",";
  };
  if (!last.pool) {
    say("pool", "With the policy " + about.policy +
                    " each connection is served on its own: there is no pool and no queue.");
  }
  if (!last.machine.throttled_seconds) {
    say("throttling", "No cgroup of this process counts throttling: no quota holds it back.");
  }
  if (!last.machine.cpu.seconds) say("pressure", last.machine.cpu.why_not);
  json.raw("}");
}

}  // namespace

std::string history_json(const About& about, const ServerState& state, const History& history,
                         std::uint64_t after) {
  Json json;
  write_about(json, about, state);
  json.raw(",\"period\":").time(seconds_of(Sampler::usual_period));
  json.raw(",\"most_rows\":").count(Sampler::most_rows);
  json.raw(",\"newest\":").count(history.newest());
  if (const Look* const last = history.last_look()) {
    write_missing(json, about, *last);
    json.raw(",\"pressure_scope\":").string(budget::to_string(last->machine.cpu.scope));
    json.raw(",\"memory_budget\":").count(last->machine.memory_budget);
  }
  json.raw(",\"series\":[");
  for (std::size_t i = 0; i < series_count; ++i)
    json.raw(i == 0 ? "" : ",").string(series_names[i]);
  json.raw("],\"rows\":[");
  std::string_view comma;
  history.for_each_after(after, [&](const Row& row) {
    json.raw(comma).raw("\n[").time(seconds_of(row.at - about.began_steadily));
    for (const double value : row.values()) json.raw(",").number(value);
    json.raw("]");
    comma = ",";
  });
  json.raw("]}\n");
  return json.take();
}

}  // namespace weft::serve
