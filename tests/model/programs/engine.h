// SPDX-License-Identifier: Apache-2.0
// Engine: a whole sched::Runtime in a schedule, with the threads it needs, and one that is main().
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "expect_pass.h"
#include "fiber/kernel_threads.h"
#include "model/model.h"
#include "os/epoll.h"
#include "programs/alone.h"
#include "sched/runtime.h"
#include "sched/thread.h"

namespace weft::model {

// One thread of the program that the engine runs.
class Spawned {
 public:
  Spawned(sched::Runtime& runtime, std::function<void()> function)
      : function_(std::move(function)) {
    check(sched::spawn(runtime, nullptr, &Spawned::main, this, &thread_) == 0, "not spawned");
  }
  void join() {
    void* result = nullptr;
    check(sched::join(thread_, &result) == 0, "not joined");
    check(result == this, "joined another one");
    joined_ = true;
  }
  fiber::Fiber* fiber() const noexcept {
    return &fiber::KernelThreads::current().fiber_of(sched::home_of(*thread_));
  }
  bool joined() const noexcept { return joined_; }

 private:
  static void* main(void* argument) {
    auto* const self = static_cast<Spawned*>(argument);
    self->function_();
    return self;
  }
  std::function<void()> function_;
  sched::Thread* thread_ = nullptr;
  bool joined_ = false;
};

// Continued where nobody has saved anything: fails the schedule, in place of a crash.
class NeverSaved {
 public:
  NeverSaved() noexcept {
    auto* const called_from = reinterpret_cast<std::uint64_t*>(stack_.data() + stack_.size()) - 1;
    auto* const frame = reinterpret_cast<arch::Frame*>(called_from) - 1;
    *frame = {};
    asm("stmxcsr %0" : "=m"(frame->sse_control));
    asm("fnstcw %0" : "=m"(frame->x87_control));
    frame->return_address = reinterpret_cast<std::uintptr_t>(&fail);
    context_.stack_pointer = frame;
  }
  const arch::Context& context() const noexcept { return context_; }

 private:
  static void fail() { check(false, "a fiber is continued before it has stopped"); }
  alignas(16) std::array<std::byte, std::size_t{64} * 1024> stack_;
  arch::Context context_;
};

// So many, and no monitor that would help them out.
inline sched::RuntimeOptions workers(std::uint32_t count) {
  return {.workers = count, .most_workers = count, .monitored = false};
}

class Engine {
 public:
  // Kernel threads are carriers, homes, and the monitor: as many as there are at once.
  Engine(Program& program, const sched::RuntimeOptions& options, std::size_t kernel_threads)
      : threads_(kernel_threads), record_(kernel_threads) {
    os::Descriptors::reset();
    threads_.set_unsaved(never_saved_.context());
    runtime_ = std::make_unique<sched::Runtime>(options);
    program.thread([this] { be_main(); });
    for (std::size_t i = 0; i < kernel_threads; ++i) {
      program.thread([this, i] { threads_.work(i); });
    }
  }

  sched::Runtime& runtime() noexcept { return *runtime_; }
  Spawned& spawn(std::function<void()> function) {
    spawned_[count_] = std::make_unique<Spawned>(*runtime_, std::move(function));
    return *spawned_[count_++];
  }
  // As sched::leave_home(); whoever continues the fiber before it is saved fails the schedule.
  void leave_home() {
    fiber::self().context = never_saved_.context();
    sched::leave_home();
  }
  // What main does while the others run; after that it joins all, the newest first, and ends the
  // runtime.
  void main(std::function<void()> function) { main_ = std::move(function); }

 private:
  void be_main() {
    const fiber::Identity identity(record_);
    if (main_) main_();
    for (std::size_t i = count_; i-- > 0;) {
      if (!spawned_[i]->joined()) spawned_[i]->join();
    }
    {
      const AloneAfter turns([this] { return threads_.busy() == 0; });
      runtime_.reset();
    }
    threads_.dismiss();
  }

  NeverSaved never_saved_;
  fiber::KernelThreads threads_;
  fiber::Record record_;
  std::unique_ptr<sched::Runtime> runtime_;
  std::array<std::unique_ptr<Spawned>, 8> spawned_;
  std::size_t count_ = 0;
  std::function<void()> main_;
};

// So long that a worker which finds nothing searches for two or three rounds.
inline constexpr std::chrono::microseconds engine_turn_time{2};

inline void expect_engine_pass(std::uint64_t schedules, const Body& body) {
  schedules = to_try(schedules);
  const Outcome outcome = explore({.schedules = schedules, .turn_time = engine_turn_time}, body);
  EXPECT_FALSE(outcome.failure) << outcome;
  EXPECT_EQ(outcome.schedules, schedules + 1);
}

}  // namespace weft::model
