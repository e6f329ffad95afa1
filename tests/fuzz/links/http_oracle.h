// SPDX-License-Identifier: Apache-2.0
// HttpOracle: what must come of a request over HTTP, by the contract (services/links/README.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/request_head.h"
#include "links/house.h"
#include "links/model.h"
#include "links/reply.h"

namespace weft::fuzz {

// A request as the site got it.
struct Asked {
  Asked(const http::RequestHead& head, std::string_view body);

  std::string method, target, path_and_query, body;
  bool is_asterisk;
  std::vector<std::pair<std::string, std::string>> fields;  // names in lower case

  std::vector<std::string> values(std::string_view name) const;
};

class HttpOracle {
 public:
  HttpOracle(House& house, Model& model) : house_(house), model_(model) {}

  void check(const Asked& asked, const Reply& reply);

 private:
  enum class Operation { none, create, list, get, remove, follow };
  struct Route {
    Operation operation = Operation::none;
    std::string key;
    std::string query;
  };

  static Route route_of(const Asked& asked);
  static std::optional<::links::NewLink> wanted_of(const Asked& asked, unsigned& status);
  // False: it was answered already, by what the client says of its time.
  bool check_time(const Asked& asked, const Route& route, const Reply& reply);
  void check_create(const Asked& asked, const Reply& reply);
  void check_list(const Route& route, const Reply& reply);
  void check_get(const Route& route, const Reply& reply);
  void check_follow(const Route& route, const Reply& reply);

  House& house_;
  Model& model_;
};

}  // namespace weft::fuzz
