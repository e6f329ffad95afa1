// SPDX-License-Identifier: Apache-2.0
// The tables of codes.
#include "sql/errors.h"

#include <errmsg.h>
#include <mysqld_error.h>
#include <sqlite3.h>

namespace weft::sql {

ErrorKind sqlite_kind(int code) noexcept {
  switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
      return ErrorKind::conflict;
    default:
      break;
  }
  switch (code & 0xFF) {
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      return ErrorKind::constraint;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorKind::retriable;
    case SQLITE_INTERRUPT:
      return ErrorKind::cancelled;
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_PROTOCOL:
      return ErrorKind::unavailable;
    case SQLITE_ERROR:
      return ErrorKind::syntax;
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
      return ErrorKind::misuse;
    default:
      return ErrorKind::other;
  }
}

ErrorKind postgresql_kind(std::string_view state) noexcept {
  if (state.empty()) return ErrorKind::unavailable;
  if (state == "23505") return ErrorKind::conflict;
  if (state == "57014") return ErrorKind::cancelled;
  if (state == "55P03") return ErrorKind::retriable;  // a lock that was not to be had
  if (state == "57P05" || state == "25P03") return ErrorKind::unavailable;  // idle for too long
  const std::string_view group = state.substr(0, 2);
  if (group == "23" || group == "44") return ErrorKind::constraint;
  if (group == "40") return ErrorKind::retriable;
  if (group == "42") return ErrorKind::syntax;
  if (group == "08" || group == "53" || group == "57" || group == "58") {
    return ErrorKind::unavailable;
  }
  return ErrorKind::other;
}

bool postgresql_quotes_values(std::string_view state) noexcept {
  const std::string_view group = state.substr(0, 2);
  for (const std::string_view safe :
       {"", "08", "0A", "25", "26", "28", "3D", "40", "42", "53", "55", "57", "58"}) {
    if (group == safe) return false;
  }
  return true;
}

ErrorKind mariadb_kind(unsigned code) noexcept {
  switch (code) {
    case ER_DUP_ENTRY:
    case ER_DUP_ENTRY_WITH_KEY_NAME:
    case ER_DUP_KEY:
    case ER_DUP_UNIQUE:
      return ErrorKind::conflict;
    case ER_NO_REFERENCED_ROW:
    case ER_NO_REFERENCED_ROW_2:
    case ER_ROW_IS_REFERENCED:
    case ER_ROW_IS_REFERENCED_2:
    case ER_BAD_NULL_ERROR:
    case ER_NO_DEFAULT_FOR_FIELD:
    case ER_CONSTRAINT_FAILED:
    case ER_DATA_TOO_LONG:
      return ErrorKind::constraint;
    case ER_QUERY_INTERRUPTED:
      return ErrorKind::cancelled;
    case ER_STATEMENT_TIMEOUT:
      return ErrorKind::timeout;
    case ER_LOCK_DEADLOCK:
    case ER_LOCK_WAIT_TIMEOUT:
    case ER_CHECKREAD:
      return ErrorKind::retriable;
    case ER_PARSE_ERROR:
    case ER_EMPTY_QUERY:
    case ER_NO_SUCH_TABLE:
    case ER_BAD_FIELD_ERROR:
    case ER_BAD_TABLE_ERROR:
    case ER_TABLE_EXISTS_ERROR:
    case ER_SP_DOES_NOT_EXIST:
    case ER_WRONG_VALUE_COUNT_ON_ROW:
      return ErrorKind::syntax;
    case ER_CON_COUNT_ERROR:
    case ER_SERVER_SHUTDOWN:
    case ER_NORMAL_SHUTDOWN:
    case ER_CONNECTION_KILLED:
    case ER_TOO_MANY_USER_CONNECTIONS:
    case ER_DISK_FULL:
    case ER_NET_READ_ERROR:
    case ER_NET_READ_INTERRUPTED:
    case ER_NET_ERROR_ON_WRITE:
    case ER_NET_WRITE_INTERRUPTED:
      return ErrorKind::unavailable;
    case CR_NEW_STMT_METADATA:
      return ErrorKind::other;
    default:
      // The client library's own, which are in two ranges: something is wrong with the connection.
      return (code >= CR_MIN_ERROR && code <= CR_MAX_ERROR) ||
                     (code >= CR_EVENT_CREATE_FAILED && code <= CR_MARIADB_LAST_ERROR)
                 ? ErrorKind::unavailable
                 : ErrorKind::other;
  }
}

bool mariadb_quotes_values(unsigned code) noexcept {
  const ErrorKind kind = mariadb_kind(code);
  return kind == ErrorKind::conflict || kind == ErrorKind::constraint || kind == ErrorKind::other;
}

}  // namespace weft::sql
