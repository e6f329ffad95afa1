// SPDX-License-Identifier: Apache-2.0
// The path of a request target as a file system or a router may see it, and its query.
//
// A path is decoded once, then its "." and ".." are resolved; a ".." that would leave the root is
// refused rather than dropped. Refused too: NUL and other control characters, "\", and an encoded
// slash, which would be one segment to some readers and two to others.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weft::http {

struct Target {
  std::string_view path;   // up to the first "?", still encoded
  std::string_view query;  // behind it; empty where there is none
};

Target split_target(std::string_view path_and_query) noexcept;

// The path, decoded and resolved, without its leading "/": no segment is "", "." or "..". A slash
// at the end stays, and so does the one that "." or ".." at the end stands for; "" is the root.
// Nothing: refuse with 400. The answer lies in `path` itself if nothing had to be changed, else in
// `memory`, which must have path.size() bytes.
std::optional<std::string_view> resolve_path(std::string_view path,
                                             std::span<char> memory) noexcept;

// Goes through "name=value&name=value"; both still encoded, see decode_parameter().
class QueryParameters {
 public:
  struct Parameter {
    std::string_view name;
    std::string_view value;  // empty without "="
  };

  explicit QueryParameters(std::string_view query) noexcept : rest_(query) {}
  // Nothing: that was all. Empty parameters, as in "a&&b", are passed over.
  std::optional<Parameter> next() noexcept;

 private:
  std::string_view rest_;
};

// As forms encode it: "+" is a space, "%41" is "A"; a broken escape stays as it is.
std::string decode_parameter(std::string_view encoded);

// The decoded value of the first parameter with this name, which is not encoded.
std::optional<std::string> find_parameter(std::string_view query, std::string_view name);

}  // namespace weft::http
