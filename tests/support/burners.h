// SPDX-License-Identifier: Apache-2.0
// Threads that use all the CPU they get.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace weft::support {

// Burns from construction to destruction.
class Burners {
 public:
  explicit Burners(std::size_t count) {
    threads_.reserve(count);
    for (std::size_t number = 0; number < count; ++number) {
      threads_.emplace_back([this] {
        while (!stop_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  ~Burners() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Burners(const Burners&) = delete;
  Burners& operator=(const Burners&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace weft::support
