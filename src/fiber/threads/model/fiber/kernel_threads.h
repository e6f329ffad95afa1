// SPDX-License-Identifier: Apache-2.0
// KernelThreads: what libc's threads are in a schedule of the model checker.
//
// A program of model threads cannot make more of them. It declares in advance as many as the engine
// will make at once, and each waits for a function to run:
//
//   auto& threads = program.make<fiber::KernelThreads>(2);
//   for (std::size_t i = 0; i < threads.count(); ++i) program.thread([&, i] { threads.work(i); });
//   program.thread([&] { …; threads.dismiss(); });
//
// fiber::libc() is about the newest KernelThreads. Numbers in place of addresses and kernel ids:
// a schedule comes again in another process.
#pragma once

#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/atomic.h"
#include "base/atomic_scheduler.h"
#include "fiber/fiber.h"

namespace weft::fiber {

// What is done in its life takes no turns: it is no part of what is explored. Nothing in it waits.
class WithoutTurns {
 public:
  WithoutTurns() noexcept { base::atomic_scheduler = nullptr; }
  ~WithoutTurns() { base::atomic_scheduler = before_; }
  WithoutTurns(const WithoutTurns&) = delete;
  WithoutTurns& operator=(const WithoutTurns&) = delete;

 private:
  base::AtomicScheduler* const before_ = base::atomic_scheduler;
};

// The record of a model thread, which others may know before the thread has started.
class Record {
 public:
  explicit Record(std::size_t number) noexcept;
  ~Record();
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  Fiber& fiber() const noexcept { return fiber_; }

 private:
  Fiber& fiber_;
};

// In its life the calling model thread has that record. Model threads are used again: what they
// were in another schedule is forgotten.
class Identity {
 public:
  explicit Identity(const Record& record) noexcept {
    record.fiber().thread_pointer = arch::thread_pointer();
    this_fiber = &record.fiber();
  }
  ~Identity() { this_fiber = nullptr; }
  Identity(const Identity&) = delete;
  Identity& operator=(const Identity&) = delete;
};

class KernelThreads {
 public:
  static constexpr std::size_t most = 12;

  explicit KernelThreads(std::size_t count) noexcept : count_(count) { current_ = this; }
  ~KernelThreads() {
    if (current_ == this) current_ = nullptr;
  }
  KernelThreads(const KernelThreads&) = delete;
  KernelThreads& operator=(const KernelThreads&) = delete;

  // Aborts when there is none.
  static KernelThreads& current() noexcept;

  std::size_t count() const noexcept { return count_; }
  // How many run a function that they were made for.
  std::size_t busy() const noexcept;

  // What a model thread does: runs one function after another, until dismiss().
  void work(std::size_t index);
  // What a new thread's context is until it is saved for the first time.
  void set_unsaved(const arch::Context& context) noexcept { unsaved_ = context; }
  // The record of the thread with this handle.
  Fiber& fiber_of(pthread_t handle) noexcept { return slot_of(handle).record->fiber(); }
  // No more threads will be made.
  void dismiss() noexcept;

  // As libc's.
  int create(pthread_t* handle, void* (*function)(void*), void* argument) noexcept;
  int join(pthread_t handle, void** result) noexcept;
  int try_join(pthread_t handle, void** result) noexcept;
  void detach(pthread_t handle) noexcept;
  // For the calling thread, which create() made.
  void at_end(void (*function)(void*), void* argument) noexcept;

 private:
  enum State : std::uint32_t { waiting, running, ended, dismissed };
  struct Slot {
    atomic<std::uint32_t> state{waiting};
    // Written between two turns.
    bool taken = false;
    bool detached = false;
    void* (*function)(void*) = nullptr;
    void* argument = nullptr;
    void* result = nullptr;
    void (*at_end)(void*) = nullptr;
    void* argument_at_end = nullptr;
    std::optional<Record> record;
  };

  Slot& slot_of(pthread_t handle) noexcept { return slots_[handle - 1]; }
  static void give_back(Slot& slot) noexcept;

  static inline constinit KernelThreads* current_ = nullptr;
  const std::size_t count_;
  arch::Context unsaved_;
  std::array<Slot, most> slots_;
};

}  // namespace weft::fiber
