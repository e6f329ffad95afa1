// SPDX-License-Identifier: Apache-2.0
// Calls and the admission: who is refused and how, and that a ticket goes with its call, however it
// ends.
#include <weft/admission_control.h>
#include <weft/pool.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "grpc/health.h"
#include "grpc/test_support.h"

namespace weft::grpc {
namespace {

using namespace std::chrono_literals;
using ::grpc::ClientContext;
using ::grpc::Status;
using ::grpc::StatusCode;
using Clock = std::chrono::steady_clock;

// Generous: what is asked is whether.
constexpr auto patience = 30s;

std::string trailer(const ClientContext& context, const char* name) {
  const auto& all = context.GetServerTrailingMetadata();
  const auto found = all.find(name);
  return found == all.end() ? "" : std::string(found->second.data(), found->second.size());
}

template <class Condition>
bool becomes(Condition condition) {
  const auto until = Clock::now() + patience;
  while (!condition()) {
    if (Clock::now() > until) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

// A pool of one thread, whose jobs wait.
PoolOptions one_thread(std::size_t capacity = 4096) {
  PoolOptions options;
  options.policy = Policy::fixed;
  options.minimum = 1;
  options.cpus = 1;
  options.capacity = capacity;
  return options;
}

class AdmittedServer : public testing::Test {
 protected:
  ServerOptions options() {
    ServerOptions options{.workers = 1};
    options.admission = &control;
    return options;
  }
  // All that was let in has gone.
  bool is_left() {
    return becomes([this] {
      const AdmissionCounters counters = control.counters();
      return counters.in_flight == 0 && counters.waiting == 0;
    });
  }
  std::uint64_t admitted() const {
    const auto& admitted = control.counters().admitted;
    return admitted[0] + admitted[1] + admitted[2];
  }

  AdmissionControl control{{.cpus = 1, .watches_pressure = false}};
};

// Offers calls without waiting for their answers, a few in each millisecond.
class Offering {
 public:
  explicit Offering(Echo::Stub& stub) : stub_(stub) {}

  void offer(int number) {
    for (int i = 0; i < number; ++i) {
      auto* const one = new One;
      one->reader = stub_.AsyncSay(&one->context, line_of("x"), &queue_);
      one->reader->Finish(&one->line, &one->status, one);
      ++under_way;
    }
  }
  // Sees to what has been answered; waits for all that is still to come, where it is told to.
  void collect(bool waits) {
    void* tag = nullptr;
    bool is_ok = false;
    while (under_way != 0) {
      const auto until = std::chrono::system_clock::now() + (waits ? patience : 0s);
      if (queue_.AsyncNext(&tag, &is_ok, until) != ::grpc::CompletionQueue::GOT_EVENT) return;
      const std::unique_ptr<One> one(static_cast<One*>(tag));
      --under_way;
      if (one->status.ok()) {
        ++answered;
        continue;
      }
      ++refused;
      EXPECT_EQ(one->status.error_code(), StatusCode::RESOURCE_EXHAUSTED)
          << one->status.error_message();
      EXPECT_EQ(trailer(one->context, "weft-reason"), "queue-delay");
      EXPECT_GT(std::atoi(trailer(one->context, "grpc-retry-pushback-ms").c_str()), 0);
    }
  }
  ~Offering() {
    queue_.Shutdown();
    void* tag = nullptr;
    bool is_ok = false;
    while (queue_.Next(&tag, &is_ok)) delete static_cast<One*>(tag);
  }

  int under_way = 0;
  int answered = 0;
  int refused = 0;

 private:
  struct One {
    ClientContext context;
    Line line;
    Status status;
    std::unique_ptr<::grpc::ClientAsyncResponseReader<Line>> reader;
  };
  Echo::Stub& stub_;
  ::grpc::CompletionQueue queue_;
};

// Four times as many as the pool can do.
void overload(AdmissionControl& control, EchoServer& server, int& handled_before) {
  const auto stub = server.stub();
  Offering offering(*stub);
  for (int i = 0; i < 5000 && offering.refused < 100; ++i) {
    offering.offer(2);
    std::this_thread::sleep_for(1ms);
    offering.collect(false);
  }
  offering.collect(true);
  EXPECT_GE(offering.refused, 100);
  EXPECT_GT(offering.answered, 0);
  EXPECT_EQ(offering.under_way, 0);
  handled_before = offering.answered;
  // When few come, all are let in again, and it says so.
  EXPECT_TRUE(becomes([&] {
    say(*stub, "x");
    std::this_thread::sleep_for(10ms);
    return control.counters().state == AdmissionState::open;
  }));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(say(*stub, "x").status.ok());
}

TEST_F(AdmittedServer, RefusesWhatAPoolCannotDoAndLetsGo) {
  Pool pool(one_thread());
  std::atomic<int> handled{0};
  Handlers handlers;
  handlers.say = [&](Call&, const Line&, Line&) -> Answer {
    co_await offload(pool, [&] {
      std::this_thread::sleep_for(2ms);
      ++handled;
    });
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers), options());
  int answered = 0;
  overload(control, server, answered);
  EXPECT_TRUE(is_left());
  EXPECT_GE(handled, answered + 20);
  EXPECT_GT(server->counters().refused.at("queue-delay"), 0U);
}

// Where handlers compute on the worker itself, calls wait before they are begun.
TEST_F(AdmittedServer, RefusesWhatAWorkerCannotDoAndLetsGo) {
  std::atomic<int> handled{0};
  Handlers handlers;
  handlers.say = [&](Call&, const Line&, Line&) -> Answer {
    for (const auto until = Clock::now() + 2ms; Clock::now() < until;) {
    }
    ++handled;
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers), options());
  int answered = 0;
  overload(control, server, answered);
  EXPECT_TRUE(is_left());
  EXPECT_GE(handled, answered + 20);
}

TEST_F(AdmittedServer, CountsACallFromItsBeginningToItsEnd) {
  std::atomic<bool> is_inside{false};
  std::atomic<bool> goes_on{false};
  Pool pool(one_thread());
  Handlers handlers;
  handlers.say = [&](Call&, const Line&, Line&) -> Answer {
    co_await offload(pool, [&] {
      is_inside = true;
      while (!goes_on) std::this_thread::sleep_for(1ms);
    });
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers), options());
  const auto stub = server.stub();
  std::thread first([&] { EXPECT_TRUE(say(*stub, "").status.ok()); });
  ASSERT_TRUE(becomes([&] { return is_inside.load(); }));
  EXPECT_EQ(control.counters().in_flight, 1U);
  EXPECT_EQ(control.counters().waiting, 0U);
  // The pool has no thread for this one: it waits, though its handler has begun.
  std::thread second([&] { EXPECT_TRUE(say(*stub, "").status.ok()); });
  EXPECT_TRUE(becomes([&] { return control.counters().in_flight == 2; }));
  EXPECT_TRUE(becomes([&] { return server->counters().started == 2; }));
  EXPECT_EQ(control.counters().waiting, 1U);
  goes_on = true;
  first.join();
  second.join();
  EXPECT_TRUE(is_left());
}

TEST_F(AdmittedServer, HealthIsNeverRefused) {
  EchoServer server({}, options());
  control.drain();
  const auto stub = server.stub();
  ClientContext refused;
  EXPECT_EQ(say(*stub, "", refused).status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(trailer(refused, "weft-reason"), "draining");
  const auto health = ::grpc::health::v1::Health::NewStub(server.channel());
  ClientContext asked;
  Health::Response response;
  EXPECT_TRUE(health->Check(&asked, {}, &response).ok());
  EXPECT_EQ(admitted(), 0U);
}

TEST_F(AdmittedServer, TicketsGoWithHandlersThatThrow) {
  Handlers handlers;
  handlers.say = [](Call&, const Line& line, Line&) -> Answer {
    if (line.text() == "at once") throw std::runtime_error("early");
    co_await sleep_for(1ms);
    throw std::runtime_error("late");
  };
  EchoServer server(std::move(handlers), options());
  const auto stub = server.stub();
  for (const char* const when : {"at once", "later"}) {
    EXPECT_EQ(say(*stub, when).status.error_code(), StatusCode::INTERNAL);
  }
  EXPECT_TRUE(is_left());
  EXPECT_EQ(admitted(), 2U);
}

TEST_F(AdmittedServer, TicketsGoWithStreamsThatAreAborted) {
  EchoServer server({}, options());
  const auto stub = server.stub();
  {
    ClientContext context;
    const auto chat = stub->Chat(&context);
    Line line;
    EXPECT_TRUE(chat->Write(line_of("x")));
    EXPECT_TRUE(chat->Read(&line));
    EXPECT_EQ(control.counters().in_flight, 1U);
    context.TryCancel();
    EXPECT_EQ(chat->Finish().error_code(), StatusCode::CANCELLED);
  }
  EXPECT_TRUE(is_left());
}

// The worker is kept from looking, while calls come, and go again.
TEST_F(AdmittedServer, TicketsGoWithCallsThatWereCancelledBeforeTheyBegan) {
  std::atomic<bool> is_inside{false};
  std::atomic<bool> goes_on{false};
  std::atomic<std::uint64_t> handled{0};
  Handlers handlers;
  handlers.say = [&](Call&, const Line&, Line&) -> Answer {
    ++handled;
    is_inside = true;
    while (!goes_on) std::this_thread::sleep_for(1ms);
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers), options());
  const auto stub = server.stub();
  std::thread first([&] { EXPECT_TRUE(say(*stub, "").status.ok()); });
  ASSERT_TRUE(becomes([&] { return is_inside.load(); }));
  const auto other_stub = server.stub();
  ManyCalls({other_stub.get()})
      .run(
          100, 100,
          [](std::size_t, ClientContext& context) {
            context.set_deadline(std::chrono::system_clock::now() + 100ms);
          },
          [](std::size_t, const Status& status, const Line&) {
            EXPECT_EQ(status.error_code(), StatusCode::DEADLINE_EXCEEDED);
          });
  goes_on = true;
  first.join();
  server.wait_until_idle();
  EXPECT_TRUE(is_left());
  EXPECT_EQ(handled, 1U);  // their deadlines had passed: no handler was called for them
}

TEST_F(AdmittedServer, TicketsGoWithCallsThatAPoolNeverBegan) {
  std::atomic<bool> is_inside{false};
  std::atomic<bool> goes_on{false};
  Pool pool(one_thread());
  Handlers handlers;
  handlers.say = [&](Call&, const Line&, Line&) -> Answer {
    co_await offload(pool, [&] {
      is_inside = true;
      while (!goes_on) std::this_thread::sleep_for(1ms);
    });
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers), options());
  const auto stub = server.stub();
  std::thread first([&] { EXPECT_TRUE(say(*stub, "").status.ok()); });
  ASSERT_TRUE(becomes([&] { return is_inside.load(); }));
  ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + 100ms);
  EXPECT_EQ(say(*stub, "", context).status.error_code(), StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(becomes([&] { return control.counters().in_flight == 1; }));
  EXPECT_EQ(control.counters().waiting, 0U);
  goes_on = true;
  first.join();
  EXPECT_TRUE(is_left());
}

TEST_F(AdmittedServer, SaysSoWhereAPoolHasNoRoom) {
  std::atomic<bool> is_inside{false};
  std::atomic<bool> goes_on{false};
  Pool pool(one_thread(1));
  Handlers handlers;
  handlers.say = [&](Call&, const Line&, Line&) -> Answer {
    co_await offload(pool, [&] {
      is_inside = true;
      while (!goes_on) std::this_thread::sleep_for(1ms);
    });
    co_return Status::OK;
  };
  EchoServer server(std::move(handlers), options());
  const auto stub = server.stub();
  std::thread first([&] { EXPECT_TRUE(say(*stub, "").status.ok()); });
  ASSERT_TRUE(becomes([&] { return is_inside.load(); }));
  std::thread second([&] { EXPECT_TRUE(say(*stub, "").status.ok()); });
  ASSERT_TRUE(becomes([&] { return pool.counters().queued == 1; }));
  ClientContext context;
  EXPECT_EQ(say(*stub, "", context).status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(trailer(context, "weft-reason"), "no-room");
  EXPECT_EQ(trailer(context, "grpc-retry-pushback-ms"), "1000");
  goes_on = true;
  first.join();
  second.join();
  EXPECT_TRUE(is_left());
}

// What was begun for a call, and not waited for, may go on when its ticket has gone.
TEST_F(AdmittedServer, WhatOutlivesACallTouchesNothingOfIt) {
  std::atomic<int> done{0};
  {
    Coroutines coroutines({.threads = 1, .blocking = one_thread()});
    Handlers handlers;
    handlers.say = [&](Call&, const Line&, Line&) -> Answer {
      spawn(
          coroutines.executor(),
          [&]() -> boost::asio::awaitable<void> {
            for (int i = 0; i < 3; ++i) {
              co_await offload(coroutines.blocking(), [] { std::this_thread::sleep_for(1ms); });
            }
            ++done;
          },
          CancelToken());
      co_return Status::OK;
    };
    EchoServer server(std::move(handlers), options());
    const auto stub = server.stub();
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(say(*stub, "").status.ok());
    EXPECT_TRUE(is_left());
    coroutines.drain();
  }
  EXPECT_EQ(done, 20);
  EXPECT_TRUE(is_left());
}

}  // namespace
}  // namespace weft::grpc
