// SPDX-License-Identifier: Apache-2.0
// libc's threads, by threads that the explored program has declared in advance.
#include "fiber/libc.h"

#include <cerrno>

#include "fiber/kernel_threads.h"
#include "fiber/table.h"
#include "os/check.h"
#include "os/futex.h"

namespace weft::fiber {

namespace {

Fiber& adopt_without_turns() noexcept {
  const WithoutTurns none;
  return adopt();
}

}  // namespace

Record::Record(std::size_t number) noexcept : fiber_(adopt_without_turns()) {
  const WithoutTurns none;
  fiber_.permit.store(Permit::none);
  fiber_.id = static_cast<std::uint32_t>(number) + 1;
}

Record::~Record() {
  const WithoutTurns none;
  release(fiber_);
}

KernelThreads& KernelThreads::current() noexcept {
  os::check(current_ != nullptr, "weft: kernel threads of the model preset are KernelThreads");
  return *current_;
}

std::size_t KernelThreads::busy() const noexcept {
  std::size_t busy = 0;
  for (const Slot& slot : slots_) busy += slot.taken ? 1 : 0;
  return busy;
}

void KernelThreads::work(std::size_t index) {
  Slot& slot = slots_[index];
  for (;;) {
    const std::uint32_t state = slot.state.load(std::memory_order_acquire);
    if (state == dismissed) return;
    if (state != running) {
      os::futex_wait(slot.state, state);
      continue;
    }
    {
      const Identity identity(*slot.record);
      slot.result = slot.function(slot.argument);
      if (slot.at_end != nullptr) slot.at_end(slot.argument_at_end);
    }
    slot.state.store(ended, std::memory_order_seq_cst);
    if (slot.detached) {
      give_back(slot);
    } else {
      os::futex_wake(slot.state);
    }
  }
}

void KernelThreads::dismiss() noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    while (slots_[i].taken) os::futex_wait(slots_[i].state, running);  // it is about to end
    slots_[i].state.store(dismissed, std::memory_order_seq_cst);
    os::futex_wake(slots_[i].state);
  }
}

int KernelThreads::create(pthread_t* handle, void* (*function)(void*), void* argument) noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    Slot& slot = slots_[i];
    if (slot.taken) continue;
    slot.taken = true;
    slot.detached = false;
    slot.function = function;
    slot.argument = argument;
    slot.at_end = nullptr;
    slot.record.emplace(i);
    slot.record->fiber().context = unsaved_;
    *handle = i + 1;
    slot.state.store(running, std::memory_order_seq_cst);
    os::futex_wake(slot.state);
    return 0;
  }
  return EAGAIN;
}

int KernelThreads::join(pthread_t handle, void** result) noexcept {
  Slot& slot = slot_of(handle);
  while (slot.state.load(std::memory_order_acquire) == running) {
    os::futex_wait(slot.state, running);
  }
  if (result != nullptr) *result = slot.result;
  give_back(slot);
  return 0;
}

int KernelThreads::try_join(pthread_t handle, void** result) noexcept {
  Slot& slot = slot_of(handle);
  // Who would try again and again, at home, sleeps: as if the thread had ended a little earlier.
  if (self().is_home()) return join(handle, result);
  if (slot.state.load(std::memory_order_acquire) == running) return EBUSY;
  if (result != nullptr) *result = slot.result;
  give_back(slot);
  return 0;
}

void KernelThreads::detach(pthread_t handle) noexcept {
  Slot& slot = slot_of(handle);
  slot.detached = true;
  if (slot.state.load(std::memory_order_acquire) == ended) give_back(slot);
}

void KernelThreads::at_end(void (*function)(void*), void* argument) noexcept {
  for (Slot& slot : slots_) {
    if (!slot.taken || &slot.record->fiber() != this_fiber) continue;
    slot.at_end = function;
    slot.argument_at_end = argument;
  }
}

void KernelThreads::give_back(Slot& slot) noexcept {
  slot.taken = false;
  slot.detached = false;
}

const Libc& libc() noexcept {
  static constexpr Libc table{
      .create =
          [](pthread_t* handle, const pthread_attr_t*, void* (*function)(void*),
             void* argument) noexcept {
            return KernelThreads::current().create(handle, function, argument);
          },
      .join = [](pthread_t handle,
                 void** result) { return KernelThreads::current().join(handle, result); },
      .try_join =
          [](pthread_t handle, void** result) noexcept {
            return KernelThreads::current().try_join(handle, result);
          },
      .detach =
          [](pthread_t handle) noexcept {
            KernelThreads::current().detach(handle);
            return 0;
          },
  };
  return table;
}

void at_thread_end(void (*function)(void*), void* argument) noexcept {
  KernelThreads::current().at_end(function, argument);
}

// The model's threads have no thread-local storage of their own.
void* variable_of(pthread_t, void*) noexcept {
  return nullptr;
}

bool finds_variables() noexcept {
  return false;
}

void store_variable(void*, void*) noexcept {}

void* load_variable(const void*) noexcept {
  return nullptr;
}

}  // namespace weft::fiber
