// SPDX-License-Identifier: Apache-2.0
// What the tests of the contract share: a suite that runs once for each backend, and its tables.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <ostream>
#include <string>

#include <weft/cancel.h>
#include <weft/sql.h>
#include <weft/sql_pool.h>

#include "tests/sql/backend.h"

namespace weft::sql::test {

using Clock = std::chrono::steady_clock;

class ContractTest : public testing::TestWithParam<Backend*> {
 protected:
  Backend& backend() const { return *GetParam(); }
  Url url() const { return backend().url(); }
  // For those who want to see a cancel come to its end, on however busy a machine.
  static Options patient() {
    Options options;
    options.cancel_grace = options.cancel_patience = std::chrono::seconds(30);
    return options;
  }

  // Makes a table anew.
  void make_table(const std::string& name, const std::string& columns) const {
    Connection connection(url());
    connection.execute("DROP TABLE IF EXISTS " + name);
    connection.execute("CREATE TABLE " + name + " (" + columns + ")");
  }
  std::int64_t count(const std::string& table) const {
    Connection connection(url());
    return connection.execute("SELECT COUNT(*) FROM " + table)[0].integer(0);
  }
};

// For the lists of tests, which would show an address.
inline void PrintTo(Backend* backend, std::ostream* out) {
  *out << backend->name();
}

inline std::string name_of(const testing::TestParamInfo<Backend*>& info) {
  return info.param->name();
}

// The kind of the Error that it throws; `other` and a failure where it throws none.
inline ErrorKind kind_of(const std::function<void()>& call, std::string* message = nullptr) {
  try {
    call();
  } catch (const Error& error) {
    if (message != nullptr) *message = error.what();
    return error.kind();
  }
  ADD_FAILURE() << "it went well";
  return ErrorKind::other;
}

// The reason of the Cancelled that it throws; none where it throws none.
inline CancelReason reason_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Cancelled& cancelled) {
    return cancelled.reason();
  }
  return CancelReason::none;
}

}  // namespace weft::sql::test
