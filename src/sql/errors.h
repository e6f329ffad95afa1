// SPDX-License-Identifier: Apache-2.0
// What a code of a driver means; pure, so that it can be read and tested as the table it is.
#pragma once

#include <string_view>

#include <weft/sql.h>

namespace weft::sql {

// Of an extended result code.
ErrorKind sqlite_kind(int code) noexcept;
// Of a SQLSTATE; empty: libpq itself had trouble, so the connection has.
ErrorKind postgresql_kind(std::string_view state) noexcept;
ErrorKind mariadb_kind(unsigned code) noexcept;

// Whether messages of these quote what a statement was given, which is not to be shown.
bool postgresql_quotes_values(std::string_view state) noexcept;
bool mariadb_quotes_values(unsigned code) noexcept;

}  // namespace weft::sql
