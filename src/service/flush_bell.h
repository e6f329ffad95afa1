// SPDX-License-Identifier: Apache-2.0
// FlushBell: a sink that says when all sinks before it have written what was logged.
//
// A logger with a thread of its own only asks that thread to flush: who is about to _Exit() would
// lose the last lines, which say why.
#pragma once

#include <spdlog/logger.h>
#include <spdlog/sinks/sink.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace weft::service {

// The last of a logger's sinks.
class FlushBell final : public spdlog::sinks::sink {
 public:
  // False: it takes longer.
  bool flush_all(spdlog::logger& logger, std::chrono::nanoseconds patience) {
    std::unique_lock lock(mutex_);
    const std::uint64_t before = flushes_;
    lock.unlock();
    logger.flush();
    lock.lock();
    return changed_.wait_for(lock, patience, [&] { return flushes_ != before; });
  }

  void log(const spdlog::details::log_msg&) override {}
  void flush() override {
    {
      const std::scoped_lock guard(mutex_);
      ++flushes_;
    }
    changed_.notify_all();
  }
  void set_pattern(const std::string&) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t flushes_ = 0;  // guarded by mutex_
};

}  // namespace weft::service
