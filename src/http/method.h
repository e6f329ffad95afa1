// SPDX-License-Identifier: Apache-2.0
// Method: the request methods of RFC 9110 9 and PATCH.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weft::http {

enum class Method : std::uint8_t {
  get,
  head,
  post,
  put,
  delete_,
  options,
  patch,
  connect,
  trace,
  other,  // a token that is none of these: 501
};

inline constexpr std::array<std::string_view, 9> method_names = {
    "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE"};

// Methods are case-sensitive.
constexpr Method method_of(std::string_view text) noexcept {
  for (std::size_t i = 0; i < method_names.size(); ++i) {
    if (text == method_names[i]) return static_cast<Method>(i);
  }
  return Method::other;
}

}  // namespace weft::http
