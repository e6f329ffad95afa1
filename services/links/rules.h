// SPDX-License-Identifier: Apache-2.0
// What a link, a key and a page of a list may be: rules that need no database, each of which throws
// Failure(invalid) with a text for the client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace links {

inline constexpr std::size_t longest_url = 2048;
inline constexpr std::size_t longest_key = 64;
inline constexpr std::size_t longest_idempotency_key = 128;
inline constexpr std::int64_t longest_expiry_s = std::int64_t{10} * 365 * 24 * 3600;
inline constexpr std::int64_t longest_page = 1000;
inline constexpr std::int64_t usual_page = 100;

// UTF-8 as RFC 3629 has it: no surrogates, nothing longer than it must be.
bool is_utf8(std::string_view text) noexcept;
// 1 to 64 of A-Z a-z 0-9 _ -. Nothing else is ever a key, so nothing else needs to be looked up.
bool is_key(std::string_view text) noexcept;

// http or https, a host, perhaps a port; no user and password, which serve to hide where it goes;
// nothing that could break out of a field or a line.
void check_url(std::string_view url);
// For a key that a client has chosen: those that our own paths need are not to be had.
void check_chosen_key(std::string_view key);
void check_expiry(std::int64_t seconds);
// 1 to 128 visible characters of ASCII.
void check_idempotency_key(std::string_view key);
// Both may be empty.
void check_page(std::string_view prefix, std::string_view after, std::int64_t limit);

}  // namespace links
