// SPDX-License-Identifier: Apache-2.0
// The generator of the echo's load.
#include "echo_load.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "pinning.h"
#include "timing.h"

namespace weft::engine {
namespace {

void allow_descriptors(unsigned count) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= count) return;
  limit.rlim_cur = count;
  require(setrlimit(RLIMIT_NOFILE, &limit) == 0,
          "so many descriptors may be open (raise `ulimit -Hn`)");
}

constexpr char message[message_bytes] = {};

void send_message(int descriptor) {
  require(::send(descriptor, message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
              static_cast<ssize_t>(sizeof message),
          "a message can be sent");
}

double cpu_seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// What everybody in this process but the caller has used, which is the generator.
double server_cpu_seconds() {
  return cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace

EchoLoad::EchoLoad(const Scale& scale, unsigned connections) : scale_(scale) {
  allow_descriptors(2 * connections + 64);
  for (unsigned i = 0; i < connections; ++i) {
    int ends[2];
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0,
            "a socket pair can be made");
    served_.push_back(ends[0]);
    ours_.push_back(ends[1]);
  }
  pin_to(0);
}

EchoLoad::~EchoLoad() {
  if (generator_.joinable()) generator_.join();
  for (const int end : served_) ::close(end);
  for (const int end : ours_) ::close(end);
}

void EchoLoad::begin() {
  generator_ = std::thread([this] {
    pin_to(1);
    generate();
  });
}

std::uint64_t EchoLoad::look_at_all() {
  std::uint64_t answered = 0;
  char answer[message_bytes];
  for (const int descriptor : ours_) {
    const ssize_t got = ::recv(descriptor, answer, sizeof answer, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) continue;
    require(got == static_cast<ssize_t>(sizeof answer), "an answer is as long as its message");
    ++answered;
    send_message(descriptor);
  }
  return answered;
}

void EchoLoad::generate() {
  for (const int descriptor : ours_) send_message(descriptor);
  const auto warm = Clock::now() + scale_.time(50);
  while (Clock::now() < warm) look_at_all();
  std::uint64_t answered = 0;
  const double cpu_before = server_cpu_seconds();
  const auto begin = Clock::now();
  const auto end = begin + scale_.time(250);
  while (Clock::now() < end) answered += look_at_all();
  const double elapsed = since<std::ratio<1>>(begin);
  per_second_ = static_cast<double>(answered) / elapsed;
  server_busy_ = (server_cpu_seconds() - cpu_before) / elapsed;
  char answer[message_bytes];
  for (const int descriptor : ours_) {
    require(::recv(descriptor, answer, sizeof answer, 0) == static_cast<ssize_t>(sizeof answer),
            "every message is answered");
    ::shutdown(descriptor, SHUT_WR);
  }
}

Numbers EchoLoad::result() const {
  return {{"value", per_second_ / 1000}, {"server_busy", server_busy_}};
}

}  // namespace weft::engine
