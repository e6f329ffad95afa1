// SPDX-License-Identifier: Apache-2.0
// Names of the servers, and their settings as texts.
#include "bench_http_peers.h"

namespace weft::tool {

const char* name_of(HttpServerKind kind) {
  switch (kind) {
    case HttpServerKind::weft:
      break;
    case HttpServerKind::go:
      return "Go";
    case HttpServerKind::node:
      return "Node";
    case HttpServerKind::apache_worker:
      return "Apache worker";
    case HttpServerKind::apache_event:
      return "Apache event";
    case HttpServerKind::nginx:
      return "nginx";
    case HttpServerKind::bare_loop:
      return "bare loop";
  }
  return "weft";
}

std::string fill_in(std::string text, const HttpReplacements& values) {
  for (const auto& [name, value] : values) {
    const std::string mark = "@" + std::string(name) + "@";
    for (auto at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + value.size())) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

}  // namespace weft::tool
