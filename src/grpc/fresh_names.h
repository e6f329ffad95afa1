// SPDX-License-Identifier: Apache-2.0
// FreshNames: traces for calls, from random bytes that are asked of the kernel by the page.
#pragma once

#include <weft/trace.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace weft::grpc {

class FreshNames {
 public:
  // As weft::continue_trace(), without a system call for each.
  Trace continue_trace(std::string_view traceparent, std::string_view tracestate);

 private:
  void fill(std::span<std::uint8_t> bytes);

  static constexpr std::size_t stock_bytes = 4080;  // 170 traces
  std::array<std::uint8_t, stock_bytes> stock_;
  std::size_t used_ = stock_bytes;
};

}  // namespace weft::grpc
