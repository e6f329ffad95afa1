// SPDX-License-Identifier: Apache-2.0
// AccessLog: a file that a line for each response goes to, without anybody waiting for it.
//
// Who answers leaves its line in a buffer; a thread of the log's own writes what has gathered. A
// file that is slow, or full, costs lines, never time: what has no room is dropped and counted, and
// the log says so itself, at the place, once it can.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/result.h"
#include "serve/access_line.h"

namespace weft::serve {

struct AccessLogOptions {
  std::string path;  // "-": standard output
  AccessFormat format = AccessFormat::combined;
  std::size_t buffer_bytes = std::size_t{4} << 20;  // that wait; as many again may be under way
  // Told, on the log's thread and while the log lives, what is wrong with the file.
  std::function<void(const std::string& message)> complain{};
};

class AccessLog {
 public:
  static base::Result<std::unique_ptr<AccessLog>> open(AccessLogOptions options);
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  void write(const AccessRecord& record) noexcept;
  // What was written before goes to the file as it is, everything after to the one that then has
  // its name.
  void reopen() noexcept;
  // Writes what there is, and ends; what comes later is dropped. False: not in time.
  bool finish(std::chrono::milliseconds patience) noexcept;

  std::uint64_t written() const noexcept;  // lines
  std::uint64_t dropped() const noexcept;

 private:
  struct Buffer;
  explicit AccessLog(std::shared_ptr<Buffer> buffer);

  std::shared_ptr<Buffer> buffer_;  // the thread's, too: it may be stuck for longer than we live
  std::thread thread_;
  bool is_told_to_end_ = false;
};

}  // namespace weft::serve
