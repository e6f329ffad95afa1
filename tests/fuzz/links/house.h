// SPDX-License-Identifier: Apache-2.0
// House: the whole service in this process, on SQLite in memory, with a log that is looked at.
#pragma once

#include <spdlog/sinks/base_sink.h>
#include <weft/log.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "grpc_face.h"
#include "links/model.h"
#include "service/parts.h"
#include "store.h"

namespace weft::fuzz {

class KeptLines final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::vector<std::string> take();

 private:
  void sink_it_(const spdlog::details::log_msg& said) override;
  void flush_() override {}
  std::vector<std::string> lines_;  // guarded by base_sink's mutex
};

class House {
 public:
  // Where gRPC listens; empty: nowhere.
  House(LogFormat format, const std::string& grpc);
  ~House();

  serve::Site& site() noexcept { return parts_->site(); }
  weft::grpc::Server& grpc() { return parts_->grpc(); }

  // As if it had just been started.
  void clear();
  AllKept stored();
  // Each is one line of valid UTF-8 without control characters, and nothing has failed; how many.
  std::size_t check_lines();

 private:
  const LogFormat format_;
  std::shared_ptr<KeptLines> lines_ = std::make_shared<KeptLines>();
  std::unique_ptr<service::Parts> parts_;
  std::optional<::links::Store> store_;
  std::optional<::links::GrpcFace> grpc_face_;
};

}  // namespace weft::fuzz
