// SPDX-License-Identifier: Apache-2.0
// The comparison of a list of migrations with what a database remembers.
#include "sql/migration_plan.h"

#include <array>
#include <charconv>

namespace weft::sql {
namespace {

std::string title_of(std::int64_t number, const std::string& name) {
  return "migration " + std::to_string(number) + " '" + name + "'";
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::other, "", what);
}

void check_list(std::span<const Migration> migrations, Dialect dialect) {
  for (std::size_t index = 0; index < migrations.size(); ++index) {
    const Migration& migration = migrations[index];
    const std::string title = title_of(migration.number, migration.name);
    if (migration.number != index + 1) {
      throw Error(ErrorKind::misuse, "",
                  title + " is at place " + std::to_string(index + 1) +
                      " of the list; they are numbered from 1 without a gap");
    }
    if (migration.statements_for(dialect).empty()) {
      throw Error(ErrorKind::misuse, "", title + " has no statements for " + to_string(dialect));
    }
  }
}

}  // namespace

const std::vector<std::string>& Migration::statements_for(Dialect dialect) const noexcept {
  const std::vector<std::string>& own = dialect == Dialect::sqlite       ? sqlite
                                        : dialect == Dialect::postgresql ? postgresql
                                                                         : mariadb;
  return own.empty() ? statements : own;
}

std::string checksum_of(const Migration& migration, Dialect dialect) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto mix = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (const std::string& statement : migration.statements_for(dialect)) {
    for (const char character : statement) mix(static_cast<unsigned char>(character));
    mix(0);  // one statement in two halves is another list
  }
  std::array<char, 16> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  const std::string text(digits.data(), written.ptr);
  return std::string(digits.size() - text.size(), '0') + text;
}

const Migration* next_migration(std::span<const Migration> migrations,
                                const std::vector<AppliedMigration>& applied, Dialect dialect) {
  check_list(migrations, dialect);
  for (std::size_t index = 0; index < applied.size(); ++index) {
    const AppliedMigration& done = applied[index];
    const std::string title = title_of(done.number, done.name);
    if (!done.is_finished) {
      refuse(
          title +
          " was begun and did not end, and what it did could not be undone; bring the database "
          "to where it should be, and set finished to 1 in its row of weft_migrations, or delete "
          "the row to have it applied again");
    }
    if (done.number != static_cast<std::int64_t>(index + 1)) {
      refuse("the table weft_migrations has no row for migration " + std::to_string(index + 1) +
             " but one for " + title + "; somebody has changed it");
    }
    if (index >= migrations.size()) {
      refuse("the database is newer than this program: it has " + title +
             ", and the program knows " + std::to_string(migrations.size()) +
             "; run a newer version of the program");
    }
    if (done.checksum != checksum_of(migrations[index], dialect)) {
      refuse(title +
             " is not what was applied to the database: its statements have changed since; "
             "put them back, and make a new migration of the change");
    }
  }
  return applied.size() < migrations.size() ? &migrations[applied.size()] : nullptr;
}

}  // namespace weft::sql
