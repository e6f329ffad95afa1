// SPDX-License-Identifier: Apache-2.0
// What is done to the text of statements and of values before a driver sees it; all of it pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <weft/sql.h>

namespace weft::sql {

// UTF-8 as RFC 3629 has it, without NUL bytes.
bool is_plain_text(std::string_view text) noexcept;

// Throws Error(misuse) for a statement or a parameter that is no such text. It names the parameter
// by its number, not by what is in it.
void check_text(std::string_view statement, std::span<const Value> parameters);

struct Numbered {
  std::string statement;
  std::size_t placeholders = 0;
};
// Each `?` becomes $1, $2 and so on, but not in strings (of all forms that PostgreSQL has), quoted
// names and comments. Its operators with a `?` in them have functions by other names, such as
// jsonb_exists().
Numbered with_numbered_placeholders(std::string_view statement);

// Throws Error(misuse) where the two differ.
void check_count(std::size_t placeholders, std::size_t parameters);

// A server's message with all that it quotes, from the first quotation mark to the last, left out:
// servers quote values.
std::string without_quoted(std::string_view message);

// The same for MariaDB, which names a key after the value that is there already: the key stays.
std::string without_duplicate(std::string_view message);

}  // namespace weft::sql
