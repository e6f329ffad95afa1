// SPDX-License-Identifier: Apache-2.0
// weft::sql::migrate(): brings a database to the schema that the program was written for.
//
//   static const std::vector<weft::sql::Migration> migrations = {
//       {.number = 1, .name = "notes", .statements = {"CREATE TABLE note (id BIGINT PRIMARY
//       KEY)"}},
//   };
//   weft::sql::migrate(connection, migrations);
//
// Each is applied once, in its own transaction, under a lock of the database: of all processes that
// start at once one applies it, and the others wait and find it done. What was applied is recorded
// in the table weft_migrations with a checksum. A migration that was changed after it was applied,
// one that is missing, and a database that is newer than the program are errors, and nothing is
// done.
//
// MariaDB commits with every CREATE, ALTER or DROP. A migration that failed halfway there is
// recorded as unfinished, and is an error from then on: only a person can tell what is left to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <weft/sql.h>

namespace weft::sql {

struct Migration {
  std::uint32_t number = 0;  // from 1, each one more than the one before
  std::string name;
  std::vector<std::string> statements;
  // Instead of those, where a dialect wants other words.
  std::vector<std::string> sqlite{};
  std::vector<std::string> postgresql{};
  std::vector<std::string> mariadb{};

  const std::vector<std::string>& statements_for(Dialect dialect) const noexcept;
};

// Answers how many it has applied. Throws Error or Cancelled.
std::size_t migrate(Connection& connection, std::span<const Migration> migrations);

}  // namespace weft::sql
