// SPDX-License-Identifier: Apache-2.0
// Handlers that take a known time, to measure with.
#include <weft/fibers.h>

#include <chrono>
#include <ctime>
#include <string>

#include "base/text.h"
#include "serve/web_site.h"

namespace weft::serve {
namespace {

constexpr std::uint32_t most_milliseconds = 60'000;
constexpr std::uint32_t most_microseconds = 10'000'000;

std::chrono::nanoseconds own_cpu_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

// By CPU time, not by the clock on the wall: it is work, however many share the CPU.
void compute_for(std::chrono::nanoseconds time) {
  const auto end = own_cpu_time() + time;
  while (own_cpu_time() < end) {
    for (int i = 0; i < 256; ++i) asm volatile("");
  }
}

// The number in the path; nothing, and the response says so, where there is none.
std::optional<std::uint32_t> number_of(const Call& call, std::uint32_t most, Response& response) {
  const auto number = base::to_number<std::uint32_t>(call.parameter("time").value_or(""));
  if (number && *number <= most) return number;
  set_error(response, 400, "the time is no number, or too long");
  return std::nullopt;
}

void say(Response& response, std::string_view constant_text) {
  response.set_type("text/plain; charset=utf-8");
  response.set_constant_body(constant_text);
}

void sleep(const Call& call, Response& response) {
  if (const auto time = number_of(call, most_milliseconds, response)) {
    this_fiber::sleep_for(std::chrono::milliseconds{*time});  // or the thread that it is
    say(response, "slept\n");
  }
}

void compute(const Call& call, Response& response) {
  if (const auto time = number_of(call, most_microseconds, response)) {
    compute_for(std::chrono::microseconds{*time});
    say(response, "computed\n");
  }
}

void echo(const Call& call, Response& response) {
  response.set_type("application/octet-stream");
  response.set_body(std::string(call.request.body));
}

}  // namespace

base::Status add_test_handlers(WebSite& site) {
  const auto hello = [](const Call&, Response& response) { say(response, "hello\n"); };
  if (auto status = site.add(http::Method::get, "/_/hello", hello, Runs::at_once); !status) {
    return status;
  }
  if (auto status = site.add(http::Method::get, "/_/sleep/{time}", sleep); !status) return status;
  if (auto status = site.add(http::Method::get, "/_/cpu/{time}", compute); !status) return status;
  for (const http::Method method : {http::Method::post, http::Method::put}) {
    if (auto status = site.add(method, "/_/echo", echo); !status) return status;
  }
  return base::Done{};
}

}  // namespace weft::serve
