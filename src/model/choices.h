// SPDX-License-Identifier: Apache-2.0
// A list of choices as text that a person can copy: "12x0,1,3x0,2" is 0 twelve times, then 1, …
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::model {

std::string choices_to_text(std::span<const std::uint8_t> choices);

// None where the text is not such a list, or stands for more than ten million choices.
std::optional<std::vector<std::uint8_t>> choices_from_text(std::string_view text);

}  // namespace weft::model
