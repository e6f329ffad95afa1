// SPDX-License-Identifier: Apache-2.0
// Store: operations on links, each on a connection of the pool's, run on the model that was chosen.
#pragma once

#include <weft/sql_pool.h>

#include <type_traits>
#include <utility>

#include "links.h"
#include "model.h"

namespace links {

class Store {
 public:
  Store(weft::sql::ConnectionPool& database, std::unique_ptr<Model> model)
      : database_(database), model_(std::move(model)) {}

  // When nothing is served any more.
  void end() { model_->end(); }

  // function(Links&), for threads that may wait.
  template <class Function>
  auto run(weft::sql::Access access, Function function) {
    return links::run(*model_, [&] { return on_a_connection(access, function); });
  }
  // The same for coroutines.
  template <class Function, class Value = std::invoke_result_t<Function&, Links&>>
  boost::asio::awaitable<Value> await(weft::sql::Access access, Function function) {
    co_return co_await links::await(*model_, [&] { return on_a_connection(access, function); });
  }

 private:
  // What a deadlock or a lock not had has undone is done again: nothing of it was.
  template <class Function>
  auto on_a_connection(weft::sql::Access access, Function& function) {
    constexpr int most_tries = 3;
    for (int tries = 1;; ++tries) {
      try {
        const auto lease = database_.lease(access);
        Links links(*lease);
        return function(links);
      } catch (const weft::sql::Error& error) {
        if (error.kind() != weft::sql::ErrorKind::retriable || tries == most_tries) throw;
      }
    }
  }

  weft::sql::ConnectionPool& database_;
  const std::unique_ptr<Model> model_;
};

}  // namespace links
