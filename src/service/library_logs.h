// SPDX-License-Identifier: Apache-2.0
// LibraryLogs: what gRPC and protobuf say, in the log of the service. By themselves they write to
// standard error, and quote metadata of clients as it came: control characters, line ends and all.
#pragma once

#include <spdlog/fwd.h>

#include <memory>

namespace weft::service {

class LibraryLogs {
 public:
  // Those of the process, from now on. One at a time.
  explicit LibraryLogs(std::shared_ptr<spdlog::logger> log);
  // What they say later goes nowhere.
  ~LibraryLogs();
  LibraryLogs(const LibraryLogs&) = delete;
  LibraryLogs& operator=(const LibraryLogs&) = delete;
};

}  // namespace weft::service
