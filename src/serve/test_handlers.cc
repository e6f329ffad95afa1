// SPDX-License-Identifier: Apache-2.0
// Handlers that take a known time, to measure with.
#include <weft/fibers.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <span>
#include <string>

#include "base/text.h"
#include "serve/web_site.h"

namespace weft::serve {
namespace {

constexpr std::uint32_t most_milliseconds = 60'000;
constexpr std::uint32_t most_microseconds = 10'000'000;

constexpr std::uint64_t most_streamed_bytes = std::uint64_t{1} << 40;

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

std::chrono::nanoseconds sleep(const Call& call, Response& response) {
  const auto time = number_of(call, most_milliseconds, response);
  if (!time) return std::chrono::nanoseconds{0};
  say(response, "slept\n");
  return std::chrono::milliseconds{*time};
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

// The alphabet, again and again.
class Alphabet final : public BodySource {
 public:
  explicit Alphabet(std::uint64_t bytes) : left_(bytes) {}
  std::size_t produce(std::span<char> room) override {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, room.size()));
    for (std::size_t i = 0; i < size; ++i) {
      room[i] = next_;
      next_ = next_ == 'z' ? 'a' : static_cast<char>(next_ + 1);
    }
    left_ -= size;
    return size;
  }

 private:
  std::uint64_t left_;
  char next_ = 'a';
};

void stream(const Call& call, Response& response) {
  const auto bytes = base::to_number<std::uint64_t>(call.parameter("bytes").value_or(""));
  if (!bytes || *bytes > most_streamed_bytes) {
    return set_error(response, 400, "the size is no number, or too large");
  }
  response.set_type("application/octet-stream");
  response.stream(std::make_shared<Alphabet>(*bytes));
}

class Counter final : public BodySink {
 public:
  bool take(std::string_view piece) override {
    bytes_ += piece.size();
    for (const char byte : piece) {  // RFC 1950: Adler-32
      low_ = (low_ + static_cast<unsigned char>(byte)) % 65'521;
      high_ = (high_ + low_) % 65'521;
    }
    return true;
  }
  void answer(Response& response) override {
    response.set_type("text/plain; charset=utf-8");
    response.set_body(std::to_string(bytes_) + " bytes, adler32 " +
                      std::to_string(high_ << 16 | low_) + '\n');
  }

 private:
  std::uint64_t bytes_ = 0;
  std::uint32_t low_ = 1;
  std::uint32_t high_ = 0;
};

void count(const Call&, Response& response) {
  response.read_body(std::make_shared<Counter>());
}

void answer_early(const Call&, Response& response) {
  say(response, "early\n");
}

}  // namespace

base::Status add_test_handlers(WebSite& site) {
  const auto hello = [](const Call&, Response& response) { say(response, "hello\n"); };
  if (auto status = site.add(http::Method::get, "/_/hello", hello, Runs::at_once); !status) {
    return status;
  }
  if (auto status = site.add_delayed(http::Method::get, "/_/sleep/{time}", sleep); !status) {
    return status;
  }
  if (auto status = site.add(http::Method::get, "/_/cpu/{time}", compute); !status) return status;
  if (auto status = site.add(http::Method::get, "/_/stream/{bytes}", stream); !status) {
    return status;
  }
  for (const http::Method method : {http::Method::post, http::Method::put}) {
    if (auto status = site.add(method, "/_/echo", echo); !status) return status;
    if (auto status = site.add_streaming(method, "/_/count", count); !status) return status;
    if (auto status = site.add_streaming(method, "/_/early", answer_early); !status) return status;
  }
  return base::Done{};
}

}  // namespace weft::serve
