// SPDX-License-Identifier: Apache-2.0
// Backend: a database that the tests of the contract run against, with what differs in its words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <weft/sql.h>

namespace weft::sql::test {

class Backend {
 public:
  Backend() = default;
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  virtual std::string name() const = 0;
  virtual Url url() const = 0;
  virtual std::string blob_type() const = 0;
  // A SELECT of one row that takes about so long, and hardly any time of a CPU where that can be.
  virtual std::string statement_that_takes(double seconds) const = 0;
};

// One with a process of its own.
class Server : public Backend {
 public:
  // By a Unix socket where url() is by TCP, and the other way round.
  virtual Url other_url() const = 0;
  virtual void start() = 0;
  virtual void stop() = 0;
  // Nothing of it runs until it goes on; connections stay.
  virtual void freeze() = 0;
  virtual void thaw() = 0;
};

// Those of this program, ready to be used. A program defines one of the two.
const std::vector<Backend*>& backends();
const std::vector<Server*>& servers();

}  // namespace weft::sql::test
