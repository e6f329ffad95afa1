// SPDX-License-Identifier: Apache-2.0
// Concurrency: what a server that has one line of execution for each connection is made of.
#pragma once

#include <poll.h>

#include <chrono>
#include <functional>
#include <memory>

namespace weft::serve {

class Concurrency {
 public:
  virtual ~Concurrency() = default;

  // Runs the function beside the caller. False: there is nothing left to run it on, or no memory.
  virtual bool begin(std::function<void()> function) noexcept = 0;
  // As poll(2), for the line that calls it. A negative time-out waits for ever.
  virtual int wait(pollfd& descriptor, std::chrono::milliseconds timeout) = 0;
  // As close(2), of what was waited for.
  virtual void close(int descriptor) = 0;
};

// A kernel thread for each.
std::unique_ptr<Concurrency> make_threads();
// A fiber for each, on so many workers; 0: the CPU budget.
std::unique_ptr<Concurrency> make_fibers(unsigned workers);

}  // namespace weft::serve
