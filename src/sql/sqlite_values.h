// SPDX-License-Identifier: Apache-2.0
// Values to and from SQLite.
#pragma once

#include <sqlite3.h>

#include <weft/sql.h>

namespace weft::sql {

// By reference: the value must live until the statement is reset. Answers SQLite's code.
int bind(sqlite3_stmt& statement, int index, const Value& value);
Row row_of(sqlite3_stmt& statement, int columns);

}  // namespace weft::sql
