// SPDX-License-Identifier: Apache-2.0
// OpenTelemetry's active span where weft keeps contexts.
#include <weft/coroutines.h>
#include <weft/otel.h>
#include <weft/pool.h>

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>

namespace weft {
namespace {

namespace asio = boost::asio;
namespace otel = opentelemetry::context;

class Otel : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    otel::RuntimeContext::SetRuntimeContextStorage(
        opentelemetry::nostd::shared_ptr<otel::RuntimeContextStorage>(new OtelStorage));
  }
  static std::string span() { return otel::RuntimeContext::GetCurrent().GetValue("span"); }
};

TEST_F(Otel, IsAttachedUntilTheTokenGoes) {
  EXPECT_EQ(span(), "");
  {
    const auto outer = otel::RuntimeContext::Attach(otel::Context("span", "a"));
    {
      const auto inner = otel::RuntimeContext::Attach(otel::Context("span", "b"));
      EXPECT_EQ(span(), "b");
    }
    EXPECT_EQ(span(), "a");
  }
  EXPECT_EQ(span(), "");
}

TEST_F(Otel, ComesAlongToAPool) {
  const auto token = otel::RuntimeContext::Attach(otel::Context("span", "a"));
  Pool pool({.policy = Policy::fixed, .minimum = 1, .maximum = 1, .cpus = 1});
  std::string seen;
  pool.submit([&] { seen = span(); });
  pool.drain();
  EXPECT_EQ(seen, "a");
}

TEST_F(Otel, ComesAlongOverAnAwait) {
  Coroutines coroutines({.threads = 2});
  std::promise<std::string> seen;
  const auto work = [&]() -> asio::awaitable<void> {
    const auto token = otel::RuntimeContext::Attach(otel::Context("span", "a"));
    for (int i = 0; i < 20; ++i) co_await sleep_for(std::chrono::microseconds(10));
    seen.set_value(span());
  };
  spawn(coroutines.executor(), work());
  EXPECT_EQ(seen.get_future().get(), "a");
}

TEST_F(Otel, ThatIsDetachedElsewhereIsCountedAndGone) {
  const auto before = guard_misuses();
  auto token = otel::RuntimeContext::Attach(otel::Context("span", "a"));
  std::thread([&] { token.reset(); }).join();
  EXPECT_EQ(span(), "");
  EXPECT_EQ(guard_misuses().on_another_strand, before.on_another_strand + 1);
}

}  // namespace
}  // namespace weft
