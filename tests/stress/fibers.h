// SPDX-License-Identifier: Apache-2.0
// Threads on a runtime, for tests that make many of them.
#pragma once

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>

#include "sched/thread.h"

namespace weft::stress {

// Ends the process where something must hold and does not: exceptions would only unwind one fiber.
inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::abort();
}

class Joinable {
 public:
  Joinable(sched::Runtime& runtime, std::function<void()> function)
      : function_(std::move(function)) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    const int error = sched::spawn(runtime, &attributes, &Joinable::main, this, &thread_);
    expect(error == 0, "a thread can be made");
    pthread_attr_destroy(&attributes);
  }
  Joinable(const Joinable&) = delete;
  Joinable& operator=(const Joinable&) = delete;

  void join() { expect(sched::join(thread_, nullptr) == 0, "a thread can be joined"); }

 private:
  static constexpr std::size_t stack_bytes = 256 * 1024;
  static void* main(void* self) {
    static_cast<Joinable*>(self)->function_();
    return nullptr;
  }
  std::function<void()> function_;
  sched::Thread* thread_ = nullptr;
};

}  // namespace weft::stress
