// SPDX-License-Identifier: Apache-2.0
// Connecting to MariaDB within a time.
#pragma once

#include <mysql.h>

#include <chrono>

#include <weft/sql.h>

namespace weft::sql {

// The caller's to close; never null. Throws Error(unavailable). Times are rounded up to seconds;
// `longest_answer` is of every wait for the server from then on, and 0 is for ever: once connected,
// the library lets nobody change it.
MYSQL* connect_mariadb(const Url& url, std::chrono::nanoseconds longest_greeting,
                       std::chrono::nanoseconds longest_answer);

}  // namespace weft::sql
