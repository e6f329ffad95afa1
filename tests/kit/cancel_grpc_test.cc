// SPDX-License-Identifier: Apache-2.0
// Calls whose client goes, whose deadline passes, and whose server ends, while their handlers wait.
#include <weft/cancel_wait.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

#include "grpc/test_support.h"
#include "tests/kit/count.h"

namespace weft::kit {
namespace {

using namespace std::chrono_literals;
using weft::grpc::Answer;
using weft::grpc::Line;

enum How : int { client, deadline, shutdown, ways };

struct OneCall {
  How how;
  ::grpc::ClientContext context;
  Line answer;
  ::grpc::Status status;
  std::unique_ptr<::grpc::ClientAsyncResponseReader<Line>> reader;
};

// What the handlers saw.
struct Seen {
  std::array<std::atomic<std::uint64_t>, ways> begun{};
  std::atomic<std::uint64_t> unwound{0};
  std::array<std::array<std::atomic<std::uint64_t>, 8>, ways> reasons{};
};

void block() {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  wait(never, lock, cancellation(), [] { return false; });
  cancellation().check();
}

weft::grpc::Handlers handlers_that_wait(Pool& pool, Seen& seen) {
  weft::grpc::Handlers handlers;
  handlers.say = [&](weft::grpc::Call&, const Line& request, Line&) -> Answer {
    ++seen.begun[static_cast<std::size_t>(request.number())];
    try {
      const std::string& where = request.text();
      if (where == "0") co_await weft::grpc::sleep_for(10min);
      if (where == "1") co_await weft::sleep_for(10min);
      co_await offload(pool, block);
    } catch (...) {
      const auto reason = static_cast<std::size_t>(cancellation().reason());
      ++seen.reasons[static_cast<std::size_t>(request.number())][reason];
      ++seen.unwound;
      throw;
    }
    co_return ::grpc::Status::OK;
  };
  return handlers;
}

bool is_right(const OneCall& call) {
  const ::grpc::StatusCode code = call.status.error_code();
  if (call.how == client) return code == ::grpc::StatusCode::CANCELLED;
  if (call.how == deadline) return code == ::grpc::StatusCode::DEADLINE_EXCEEDED;
  return code == ::grpc::StatusCode::UNAVAILABLE;
}

// A thread that waits for answers all the time: the sockets of gRPC's clients are looked after by
// whoever does, and by nobody else where the server has a transport of its own.
class Taker {
 public:
  ~Taker() {
    queue_.Shutdown();
    thread_.join();
  }
  ::grpc::CompletionQueue& queue() noexcept { return queue_; }
  void wait_for(std::uint64_t number) const {
    while (taken_ < number) std::this_thread::yield();
  }
  std::uint64_t right() const noexcept { return right_; }

 private:
  void run() {
    void* tag = nullptr;
    bool is_ok = false;
    while (queue_.Next(&tag, &is_ok)) {
      if (is_right(*static_cast<OneCall*>(tag))) ++right_;
      ++taken_;
    }
  }

  ::grpc::CompletionQueue queue_;
  std::atomic<std::uint64_t> right_{0};
  std::atomic<std::uint64_t> taken_{0};
  std::thread thread_{[this] { run(); }};
};

// A server that serves so many calls, none of which ends by itself, and ends with a third of them.
std::uint64_t serve_and_end(std::uint64_t calls, std::minstd_rand& random, Seen& seen) {
  Pool pool({.policy = Policy::fixed, .minimum = 64});
  weft::grpc::EchoServer server(handlers_that_wait(pool, seen));
  const auto stub = server.stub();
  std::vector<std::unique_ptr<OneCall>> all;
  Taker taker;
  const std::uint64_t begun_before = seen.begun[shutdown];
  for (std::uint64_t i = 0; i < calls; ++i) {
    OneCall& call = *all.emplace_back(std::make_unique<OneCall>());
    call.how = static_cast<How>(i % ways);
    if (call.how == deadline) {
      call.context.set_deadline(std::chrono::system_clock::now() +
                                std::chrono::milliseconds(1 + random() % 30));
    }
    const Line line = weft::grpc::line_of(std::to_string(random() % 3), static_cast<int>(call.how));
    call.reader = stub->AsyncSay(&call.context, line, &taker.queue());
    call.reader->Finish(&call.answer, &call.status, &call);
  }
  // Those that nobody else ends are there before the server does.
  while (seen.begun[shutdown] - begun_before < calls / ways) std::this_thread::yield();
  for (const auto& call : all) {
    if (call->how == client) call->context.TryCancel();
  }
  const std::uint64_t at_the_end = calls / ways;
  taker.wait_for(calls - at_the_end);
  // The server learns of it later than the client.
  while (server->counters().in_flight != at_the_end) std::this_thread::yield();
  server->shutdown(std::chrono::steady_clock::now());
  taker.wait_for(calls);
  return taker.right();
}

TEST(Cancel, CallsStopAndLeaveNothing) {
  const std::uint64_t seed = number_of("WEFT_KIT_SEED", 20'261'117);
  const std::uint64_t wanted = number_of("WEFT_KIT_CANCELS", is_sanitized ? 900 : 1'800);
  constexpr std::uint64_t calls = 150;
  std::minstd_rand random(static_cast<std::uint32_t>(seed));
  Seen seen;
  std::uint64_t made = 0;
  std::uint64_t right = 0;
  for (; made < wanted; made += calls) right += serve_and_end(calls, random, seen);
  EXPECT_EQ(right, made) << "seed " << seed;
  EXPECT_EQ(seen.begun[client] + seen.begun[deadline] + seen.begun[shutdown], seen.unwound);
  const auto count = [&](How how, CancelReason reason) {
    return seen.reasons[how][static_cast<std::size_t>(reason)].load();
  };
  std::printf("WEFT_KIT_SEED=%lu: %lu calls; handlers stopped: client %lu, deadline %lu, end %lu\n",
              seed, made, count(client, CancelReason::client),
              count(deadline, CancelReason::deadline), count(shutdown, CancelReason::shutdown));
  EXPECT_EQ(count(client, CancelReason::client), seen.begun[client]);
  EXPECT_EQ(count(shutdown, CancelReason::shutdown), made / ways);
  // A client resets the call when its deadline passes, which may come before the server's has.
  EXPECT_EQ(count(deadline, CancelReason::deadline) + count(deadline, CancelReason::client),
            seen.begun[deadline]);
  EXPECT_GT(count(client, CancelReason::client), 0U);
  EXPECT_GT(count(deadline, CancelReason::deadline), 0U);
}

}  // namespace
}  // namespace weft::kit
