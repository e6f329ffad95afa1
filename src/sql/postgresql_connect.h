// SPDX-License-Identifier: Apache-2.0
// Connecting to PostgreSQL within the limits of a token.
#pragma once

#include <libpq-fe.h>

#include <weft/cancel.h>
#include <weft/sql.h>

namespace weft::sql {

// The caller's to finish; never null. Throws Error(unavailable), also when the token was cancelled.
PGconn* connect_postgresql(const Url& url, const CancelToken& token);

}  // namespace weft::sql
