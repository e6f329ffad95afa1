// SPDX-License-Identifier: Apache-2.0
// Where requests go and what is sent: URLs, addresses, and the bytes of a request, made once.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "load/load.h"

namespace weft::load {

struct Url {
  bool is_secure = false;
  std::string host;  // without brackets
  std::string port;
  std::string path;  // with its query; at least "/"
};
base::Result<Url> parse_url(std::string_view text);

struct Endpoint {
  bool is_secure = false;
  std::string host;
  std::string port;
  sockaddr_storage address{};
  socklen_t address_bytes = 0;
};

struct PreparedRequest {
  std::string bytes;
  std::size_t endpoint = 0;
  bool is_head = false;
};

struct Targets {
  std::vector<Endpoint> endpoints;
  std::vector<PreparedRequest> requests;
};

// Resolves each host once, so that no lookup falls into the run.
base::Result<Targets> prepare(const std::vector<Request>& requests, bool closes_connection);

// For each of `count` requests which one it is, by weight and by lot; a lot of its own, so that
// another mix leaves the times as they are.
std::vector<std::uint16_t> choose_requests(const std::vector<Request>& requests, std::size_t count,
                                           std::uint64_t seed);

}  // namespace weft::load
