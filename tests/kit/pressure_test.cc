// SPDX-License-Identifier: Apache-2.0
// Hogs beside a service raise what the kernel says of stalls; the admission answers, and lets go
// when they have gone.
//
// The kernel's averages are of 10 and of 60 seconds, and both must be high: this takes a while.
#include <gtest/gtest.h>

#include <weft/admission_control.h>
#include <weft/pressure.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>

#include "tests/kit/hog.h"
#include "tests/support/affinity.h"
#include "tests/support/unified_group.h"

namespace weft::kit {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto low = static_cast<std::size_t>(Priority::low);

// Asks now and then, as a client that can do without.
template <class Condition>
bool comes_true(AdmissionControl& control, Condition condition) {
  const auto until = Clock::now() + 55s;  // generous: whether, and not when
  while (Clock::now() < until) {
    for (int i = 0; i < 100; ++i) static_cast<void>(control.admit(Priority::low));
    if (condition()) return true;
    std::this_thread::sleep_for(100ms);
  }
  return false;
}

std::uint64_t refused(const AdmissionControl& control, Refusal why) {
  return control.counters().refused[low][static_cast<std::size_t>(why)];
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void expect_answer(AdmissionControl& control, Refusal why, const std::function<void()>& end) {
  const auto begun = Clock::now();
  ASSERT_TRUE(comes_true(control, [&] { return refused(control, why) > 0; }))
      << "nobody was refused for " << to_string(why);
  EXPECT_NE(control.counters().state, AdmissionState::open);
  EXPECT_TRUE(control.admit(Priority::critical).admission.admitted());
  const double answered = seconds_since(begun);
  end();
  const auto ended = Clock::now();
  EXPECT_TRUE(
      comes_true(control, [&] { return control.counters().state == AdmissionState::open; }));
  std::printf("%s: refused after %.1f s of it, open again %.1f s after its end\n", to_string(why),
              answered, seconds_since(ended));
  EXPECT_LE(control.counters().state_changes, 4U) << "it flapped";
}

// Empty: the kernel tells of our own group.
std::string why_untold(budget::Resource resource) {
  for (const budget::StallReading& reading : budget::read_pressure().stalls) {
    if (reading.scope == budget::Scope::cgroup && reading.resource == resource) {
      return reading.reason;
    }
  }
  return "no such reading";
}

// A thread of the service that always has something to do, after all others on its CPU; and less,
// as any other, once it is told that the CPU is free.
class Worker {
 public:
  explicit Worker(int cpu) : thread_([this, cpu] { run(cpu); }) {}
  ~Worker() {
    goes_on_ = false;
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  void calm_down() { is_calm_ = true; }

 private:
  void run(int cpu) {
    stay_on(cpu);
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_IDLE, &none);
    while (!is_calm_.load(std::memory_order_relaxed)) {
    }
    ::sched_setscheduler(0, SCHED_OTHER, &none);
    while (goes_on_) std::this_thread::sleep_for(100ms);
  }
  std::atomic<bool> is_calm_{false};
  std::atomic<bool> goes_on_{true};
  std::thread thread_;
};

TEST(RealPressure, ACpuHogIsAnsweredAndForgotten) {
  auto group = support::UnifiedGroup::create();
  if (!group) GTEST_SKIP() << group.error().message;
  const int cpu = support::allowed_cpus().back();
  Hog hog([cpu] {
    stay_on(cpu);
    for (std::atomic<std::uint64_t> turns{0};;) turns.fetch_add(1, std::memory_order_relaxed);
  });
  ASSERT_TRUE(group->enter().ok());
  const std::string reason = why_untold(budget::Resource::cpu);
  if (!reason.empty()) GTEST_SKIP() << reason;
  Worker worker(cpu);
  AdmissionControl control({.cpus = 1});
  expect_answer(control, Refusal::cpu_pressure, [&] {
    hog.end();
    worker.calm_down();
  });
}

// A hog reads a file that is larger than the memory that the two of them have.
TEST(RealPressure, AMemoryHogIsAnsweredAndForgotten) {
  auto group = support::UnifiedGroup::create();
  if (!group) GTEST_SKIP() << group.error().message;
  const auto limit = MemoryLimit::create(std::uint64_t{24} << 20U);
  if (!limit) GTEST_SKIP() << limit.error().message;
  const Scratch scratch(std::size_t{96} << 20U);
  ASSERT_TRUE(group->enter().ok());
  const std::string reason = why_untold(budget::Resource::memory);
  if (!reason.empty()) GTEST_SKIP() << reason;
  Hog hog([&] {
    ::raise(SIGSTOP);
    scratch.read_for_ever();
  });
  ::waitpid(hog.process(), nullptr, WUNTRACED);
  ASSERT_TRUE(limit->enter(hog.process()).ok());
  ::kill(hog.process(), SIGCONT);
  AdmissionControl control({.cpus = 1});
  expect_answer(control, Refusal::memory_pressure, [&] { hog.end(); });
}

}  // namespace
}  // namespace weft::kit
