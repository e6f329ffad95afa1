// SPDX-License-Identifier: Apache-2.0
// The libraries take a function and no more, and their threads outlive ours.
#include "service/library_logs.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <spdlog/logger.h>

#include <mutex>
#include <string>
#include <utility>

namespace weft::service {
namespace {

struct Slot {
  std::mutex mutex;
  std::shared_ptr<spdlog::logger> log;  // guarded by mutex
};

// Never destroyed: somebody may still have something to say while the process ends.
Slot& slot() {
  static Slot& one = *new Slot;
  return one;
}

// What is wrong with a request is no error of ours.
void say(bool is_worth_a_warning, const char* library, const char* text) {
  std::shared_ptr<spdlog::logger> log;
  {
    const std::scoped_lock guard(slot().mutex);
    log = slot().log;
  }
  if (log == nullptr) return;
  log->log(is_worth_a_warning ? spdlog::level::warn : spdlog::level::debug, "{}: {}", library,
           text);
}

void say_of_grpc(gpr_log_func_args* said) {
  say(said->severity == GPR_LOG_SEVERITY_ERROR, "gRPC", said->message);
}

void say_of_protobuf(google::protobuf::LogLevel level, const char*, int, const std::string& said) {
  say(level >= google::protobuf::LOGLEVEL_WARNING, "protobuf", said.c_str());
}

}  // namespace

LibraryLogs::LibraryLogs(std::shared_ptr<spdlog::logger> log) {
  const std::scoped_lock guard(slot().mutex);
  slot().log = std::move(log);
  ::gpr_set_log_function(&say_of_grpc);
  google::protobuf::SetLogHandler(&say_of_protobuf);
}

LibraryLogs::~LibraryLogs() {
  const std::scoped_lock guard(slot().mutex);
  slot().log.reset();
}

}  // namespace weft::service
