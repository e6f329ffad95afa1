// SPDX-License-Identifier: Apache-2.0
// Loggers of spdlog whose every line says which request it is about.
//
//   const auto log = weft::make_logger("links", {sink});
//   log->info("looked up {}", key);          // 2026-11-17T06:20:01.123+00:00 info links [order-17]
//   …
//
// The correlation id (<weft/trace.h>) is that of whoever says it, at that moment, also where
// another thread writes the line. What is said comes out as one line of UTF-8, whatever a client
// had put into it: other bytes and control characters are written as \xHH.
#pragma once

#include <spdlog/fwd.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

enum class LogFormat {
  text,
  json,  // an object for each line, with "correlation" and "trace"
};

using LogSinks = std::vector<std::shared_ptr<spdlog::sinks::sink>>;

// Writes before it returns.
std::shared_ptr<spdlog::logger> make_logger(std::string name, const LogSinks& sinks,
                                            LogFormat format = LogFormat::text);
// A thread writes; who says more than it can write, so many lines of it, loses the oldest.
std::shared_ptr<spdlog::logger> make_async_logger(std::string name, const LogSinks& sinks,
                                                  LogFormat format = LogFormat::text,
                                                  std::size_t most_waiting_lines = 8192);

namespace log {

// Appends `text` as one line's part: see above.
void append_printable(std::string& line, std::string_view text);
// The same between the quotes of JSON.
void append_json(std::string& line, std::string_view text);

}  // namespace log
}  // namespace weft
