// SPDX-License-Identifier: Apache-2.0
// LastLine: a sink that knows when a line, and all that were said before it, has been written.
//
// A logger with a thread of its own only asks that thread to write, and to flush: who is about to
// _Exit() would lose the last lines, which say why. To wait for a flush is not enough: it may be
// one that somebody has asked for earlier.
#pragma once

#include <spdlog/logger.h>
#include <spdlog/sinks/sink.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace weft::service {

// The last of a logger's sinks.
class LastLine final : public spdlog::sinks::sink {
 public:
  // The text is one that nobody else says. False: it takes longer.
  bool say(spdlog::logger& logger, const std::string& text, std::chrono::nanoseconds patience) {
    {
      const std::scoped_lock guard(mutex_);
      text_ = text;
      is_written_ = false;
    }
    logger.error(text);
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return is_written_; });
  }

  void log(const spdlog::details::log_msg& message) override {
    const std::string_view said(message.payload.data(), message.payload.size());
    {
      const std::scoped_lock guard(mutex_);
      if (text_.empty() || said.find(text_) == std::string_view::npos) return;
      is_written_ = true;
    }
    changed_.notify_all();
  }
  void flush() override {}
  void set_pattern(const std::string&) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::string text_;
  bool is_written_ = false;
};

}  // namespace weft::service
