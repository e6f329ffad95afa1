// SPDX-License-Identifier: Apache-2.0
// A thread_local that is read behind a co_await is another request's; an Ambient is not. Built with
// GCC and with clang, optimised: what the compilers may keep over a suspension differs.
//
// Exit: 0 the bug shows and the cure holds, 1 otherwise.
#include <weft/coroutines.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>
#include <string>
#include <thread>

namespace {

namespace asio = boost::asio;

// Two threads, one after another: where the coroutine goes on is not left to chance.
asio::io_context here;
asio::io_context there;

thread_local std::string request_of_thread;
constexpr weft::Ambient<std::string> request("request");

struct Seen {
  std::string by_thread;
  std::string by_ambient;
};

// The request "ada" begins here, waits for a row, and goes on there, where "grace" was served
// before.
asio::awaitable<void> serve(Seen& seen) {
  request_of_thread = "ada";
  const auto guard = request.set("ada");
  co_await asio::dispatch(there, asio::use_awaitable);  // the row has come
  seen = {request_of_thread, request.value_or("nobody")};
}

// An executor that stays wherever it is dispatched from: as that of a pool of threads.
class Anywhere {
 public:
  template <class Function>
  void execute(Function&& function) const {
    std::forward<Function>(function)();
  }
  asio::execution_context& query(asio::execution::context_t) const noexcept { return here; }
  static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept {
    return asio::execution::blocking.possibly;
  }
  Anywhere require(asio::execution::blocking_t::never_t) const noexcept { return *this; }
  bool operator==(const Anywhere&) const noexcept = default;
};

}  // namespace

int main() {
  Seen seen;
  weft::spawn(Anywhere(), serve(seen));
  here.run();
  std::thread([] {
    request_of_thread = "grace";
    there.run();
  }).join();
  std::printf("thread_local: %s\nAmbient: %s\n", seen.by_thread.c_str(), seen.by_ambient.c_str());
  const weft::GuardMisuses misuses = weft::guard_misuses();
  const bool shows_the_bug = seen.by_thread != "ada";
  const bool is_cured = seen.by_ambient == "ada" && misuses.on_another_strand == 0;
  return shows_the_bug && is_cured ? 0 : 1;
}
