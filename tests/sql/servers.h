// SPDX-License-Identifier: Apache-2.0
// The servers that the contract is run against; empty pointers where one is not installed.
#pragma once

#include <memory>

#include "tests/sql/backend.h"

namespace weft::sql::test {

// Initialised, not started.
std::unique_ptr<Server> make_postgresql();
std::unique_ptr<Server> make_mariadb();

}  // namespace weft::sql::test
