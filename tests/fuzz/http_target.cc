// SPDX-License-Identifier: Apache-2.0
// Fuzzed: paths and queries. No path leaves the root, and one that is resolved stays as it is.
#include "http/target.h"

#include <string>

#include "property.h"

namespace weft::fuzz {
namespace {

std::string encoded(std::string_view path) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "/";
  for (const char byte : path) {
    const auto code = static_cast<unsigned char>(byte);
    if (byte == '/') {
      text += byte;
    } else {
      text += {'%', digits[code >> 4U], digits[code & 15U]};
    }
  }
  return text;
}

}  // namespace

void try_input(std::string_view text) {
  const http::Target target = http::split_target(text);
  std::string memory(target.path.size(), 'x');
  const auto path = http::resolve_path(target.path, memory);
  if (path) {
    require(path->size() <= target.path.size(), "a path does not grow");
    require(!path->starts_with('/'), "a path is relative");
    const std::string bounded = "/" + std::string(*path) + "/";
    for (const std::string_view wrong : {"/../", "/./", "\\"}) {
      require(bounded.find(wrong) == std::string::npos, "a path stays below the root");
    }
    require(path->find("//") == std::string::npos, "no segment is empty");
    require(path->find('\0') == std::string::npos, "a path is one for the system too");

    const std::string again = encoded(*path);
    std::string more_memory(again.size(), 'x');
    const auto same = http::resolve_path(again, more_memory);
    require(same && *same == *path, "a resolved path stays as it is");
  }

  http::QueryParameters parameters(target.query);
  std::size_t bytes = 0;
  while (const auto parameter = parameters.next()) {
    bytes += parameter->name.size() + parameter->value.size();
    const std::string name = http::decode_parameter(parameter->name);
    require(name.size() <= parameter->name.size(), "a name does not grow");
    require(http::find_parameter(target.query, name).has_value(), "a parameter is found");
  }
  require(bytes <= target.query.size(), "parameters do not overlap");
}

}  // namespace weft::fuzz
