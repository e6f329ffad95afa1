// SPDX-License-Identifier: Apache-2.0
// Prints how long it takes to read a head, to step through a request, and to write a response.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>

#include "http/date.h"
#include "http/request_parser.h"
#include "http/response_head.h"
#include "http/session.h"

namespace weft::http {
namespace {

constexpr std::string_view minimal = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr std::string_view browser =
    "GET /wp-content/uploads/2010/03/hello-kitty-darth-vader-pink.jpg HTTP/1.1\r\n"
    "Host: www.example.org\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
    "Accept: image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5\r\n"
    "Accept-Language: de,en-US;q=0.7,en;q=0.3\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"
    "Connection: keep-alive\r\n"
    "If-None-Match: \"65f0c1c5-8a3\"\r\n"
    "Cache-Control: max-age=0\r\n"
    "\r\n";

// The least of many short rounds: others on the machine only ever add to it, and not to all of
// them. `step` is false if it failed.
template <class Step>
double nanoseconds_per_step(Step step) {
  constexpr int steps = 500;
  double least = 1e18;
  for (int round = 0; round < 4000; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) {
      if (!step()) return -1;
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    least = std::min(least, taken.count() / steps);
  }
  return least;
}

double parse(std::string_view text) {
  RequestHead head;
  Refusal refusal;
  const RequestLimits limits;
  return nanoseconds_per_step([&] {
    head.reset();
    return parse_request(text, limits, head, refusal) == Progress::complete;
  });
}

double whole_request(std::string_view text) {
  const SessionLimits limits;
  Session session(limits, TimePoint{});
  RequestHead head;
  DateCache date;
  std::array<char, 512> memory;
  return nanoseconds_per_step([&] {
    const bool has_head = session.next(text, head, TimePoint{}).kind == Event::Kind::head;
    const bool is_whole = session.next({}, head, TimePoint{}).kind == Event::Kind::complete;
    if (!has_head || !is_whole) return false;
    ResponseHead response(memory);
    response.status(200);
    response.field("Date", date.text(1'700'000'000));
    response.field("Content-Type", "text/html; charset=utf-8");
    response.framing(session.begin_response(200, 4096));
    return response.finish() && session.end_response(TimePoint{});
  });
}

void print(const char* name, std::string_view text) {
  std::printf("%-8s %4zu bytes: head %6.1f ns, request and head of its response %6.1f ns\n", name,
              text.size(), parse(text), whole_request(text));
}

}  // namespace
}  // namespace weft::http

int main() {
  weft::http::print("minimal", weft::http::minimal);
  weft::http::print("browser", weft::http::browser);
}
