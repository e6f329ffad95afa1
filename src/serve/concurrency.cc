// SPDX-License-Identifier: Apache-2.0
// Threads, and fibers.
#include "serve/concurrency.h"

#include <unistd.h>
#include <weft/fiber_io.h>
#include <weft/fibers.h>

#include <exception>
#include <thread>
#include <utility>

namespace weft::serve {
namespace {

class Threads final : public Concurrency {
 public:
  bool begin(std::function<void()> function) noexcept override {
    try {
      std::thread(std::move(function)).detach();
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }
  int wait(pollfd& descriptor, std::chrono::milliseconds timeout) override {
    return ::poll(&descriptor, 1, static_cast<int>(timeout.count()));
  }
  void close(int descriptor) override { ::close(descriptor); }
};

class FiberPool final : public Concurrency {
 public:
  explicit FiberPool(unsigned workers) : fibers_({.workers = workers}) {}
  bool begin(std::function<void()> function) noexcept override {
    try {
      fibers_.spawn(std::move(function), {.stack_bytes = stack_bytes}).detach();
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }
  int wait(pollfd& descriptor, std::chrono::milliseconds timeout) override {
    return fiber_io::poll(&descriptor, 1, timeout);
  }
  void close(int descriptor) override { fiber_io::close(descriptor); }

 private:
  static constexpr std::size_t stack_bytes = std::size_t{256} * 1024;
  Fibers fibers_;
};

}  // namespace

std::unique_ptr<Concurrency> make_threads() {
  return std::make_unique<Threads>();
}

std::unique_ptr<Concurrency> make_fibers(unsigned workers) {
  return std::make_unique<FiberPool>(workers);
}

}  // namespace weft::serve
