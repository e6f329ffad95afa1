// SPDX-License-Identifier: Apache-2.0
// Apart: a kernel thread of the engine's with a table of descriptors of its own.
//
// The kernel gives the lowest number that is free, and programs count on that: who closes 0 and
// opens a file has 0. What the engine reads while the program runs is therefore opened here, where
// the program's numbers are not.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "base/atomic.h"

namespace weft::fiber {

class Apart {
 public:
  Apart() = default;
  ~Apart();
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;

  // Calls the function there, and returns after it; here, where the system has no such thread for
  // us. One caller at a time. The function uses no descriptor that was opened elsewhere.
  template <class Function>
  void run(Function function) noexcept {
    call([](void* argument) { (*static_cast<Function*>(argument))(); }, &function);
  }

 private:
  // unborn --the first call--> busy --its table is its own--> idle --a call--> busy --done--> idle
  //                            busy --its table cannot be--> gone
  enum State : std::uint32_t { unborn, idle, busy, gone };

  void call(void (*function)(void*), void* argument) noexcept;
  void begin() noexcept;
  void wait_while_busy() noexcept;
  static void* main(void* self);
  void serve() noexcept;

  pthread_t thread_{};
  atomic<std::uint32_t> state_{unborn};
  // Written by the caller before busy, read by the thread after it. No function: leave.
  void (*function_)(void*) = nullptr;
  void* argument_ = nullptr;
};

}  // namespace weft::fiber
