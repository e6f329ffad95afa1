// SPDX-License-Identifier: Apache-2.0
// One line of a header or trailer section (RFC 9112 5), read strictly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/refusal.h"

namespace weft::http {

enum class Progress : std::uint8_t { need_more, complete, failed };

struct FieldLine {
  std::string_view name;   // empty: this is the empty line that ends the section
  std::string_view value;  // without the white space around it
  std::size_t size = 0;    // bytes of the line, its end included
};

// Reads the line that `input` begins with. What it answers depends on the bytes up to the one that
// settles it alone, so it does not matter in which pieces they come.
Progress read_field_line(std::string_view input, FieldLine& line, Refusal& refusal) noexcept;

}  // namespace weft::http
