// SPDX-License-Identifier: Apache-2.0
// grpc-timeout: up to eight digits and a unit.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace weft::wire {

// "250m" are 250 milliseconds. A year at most, which is as good as never. None: it is no timeout.
std::optional<std::chrono::nanoseconds> parse_timeout(std::string_view text) noexcept;
// Rounded down, to eight digits of the smallest unit that they are enough for.
std::string timeout_text(std::chrono::nanoseconds duration);

}  // namespace weft::wire
