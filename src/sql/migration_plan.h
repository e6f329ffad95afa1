// SPDX-License-Identifier: Apache-2.0
// What is to be done to a database, from what was done to it and what the program knows; pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <weft/sql_migrations.h>

namespace weft::sql {

// A row of the table.
struct AppliedMigration {
  std::int64_t number = 0;
  std::string name;
  std::string checksum;
  bool is_finished = true;
};

// Of the statements, for this dialect: 16 hexadecimal digits. It finds mistakes, not forgers.
std::string checksum_of(const Migration& migration, Dialect dialect);

// The next to be applied; none: the database is as the program wants it. Throws Error(misuse) where
// the list itself is wrong, and Error(other) where the database is another one than the list says.
const Migration* next_migration(std::span<const Migration> migrations,
                                const std::vector<AppliedMigration>& applied, Dialect dialect);

}  // namespace weft::sql
