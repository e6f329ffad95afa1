// SPDX-License-Identifier: Apache-2.0
// Router: from a method and a path to the number of a route.
//
// A pattern is a path whose segments are texts, "{name}" for any one segment, or, at the end,
// "{name*}" for all that is left, which may be empty. Where several match, a text beats "{name}"
// and that beats "{name*}", segment by segment from the left. A slash at the end counts: "/a" and
// "/a/" are two paths. Paths are those of resolve_path(): decoded, without their leading slash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/method.h"

namespace weft::http {

class MethodSet {
 public:
  constexpr void add(Method method) noexcept { bits_ |= 1U << static_cast<unsigned>(method); }
  constexpr void add(MethodSet others) noexcept { bits_ |= others.bits_; }
  constexpr bool has(Method method) const noexcept {
    return (bits_ >> static_cast<unsigned>(method) & 1U) != 0;
  }
  constexpr bool empty() const noexcept { return bits_ == 0; }

 private:
  unsigned bits_ = 0;
};

// "GET, HEAD, OPTIONS", for Allow.
std::string allow_text(MethodSet methods);

using RouteId = std::uint32_t;

struct RouteMatch {
  enum class Kind : std::uint8_t {
    found,               // `route`; HEAD finds the route of GET if it has none of its own
    options,             // OPTIONS without a route of its own: 204 with Allow
    not_found,           // 404
    method_not_allowed,  // 405 with Allow
    not_implemented,     // 501: no such method
  };
  static constexpr std::size_t most_parameters = 8;

  Kind kind = Kind::not_found;
  RouteId route = 0;
  MethodSet allowed;                                     // of `options` and `method_not_allowed`
  std::array<std::string_view, most_parameters> values;  // within the path, in their order
  std::size_t value_count = 0;
};

class Router {
 public:
  Router() : nodes_(1) {}

  // The number of the new route: 0, 1, 2 … Errors: the pattern is none; a route with the same
  // method matches the same paths already; the method is `other`.
  base::Result<RouteId> add(Method method, std::string_view pattern);

  // Allocates nothing.
  RouteMatch find(Method method, std::string_view path) const noexcept;
  // The value of "{name}" in what find() found.
  std::optional<std::string_view> parameter(const RouteMatch& match,
                                            std::string_view name) const noexcept;
  // For "OPTIONS *".
  MethodSet allowed_anywhere() const noexcept;

 private:
  using NodeIndex = std::uint32_t;
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Node {
    Node() { routes.fill(none); }
    std::vector<std::pair<std::string, NodeIndex>> texts;  // sorted
    NodeIndex parameter = none;
    NodeIndex rest = none;
    std::array<RouteId, method_names.size()> routes;
  };
  struct Route {
    std::string pattern;
    std::vector<std::string> parameters;
  };

  // Of few instructions. Paths come from anybody, but only patterns are ever put into the table.
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept;
  };

  base::Status check(const Route& route, Method method) const;
  NodeIndex node_of(std::string_view pattern);
  NodeIndex text_child(NodeIndex node, std::string_view text);
  NodeIndex new_node();
  // Whether a route was found; `match` gathers values and the methods that would be allowed.
  bool walk(NodeIndex at, std::string_view rest, bool is_end, Method method,
            RouteMatch& match) const noexcept;
  bool try_node(NodeIndex at, Method method, RouteMatch& match) const noexcept;
  bool try_with(NodeIndex at, std::string_view value, std::string_view rest, bool is_end,
                Method method, RouteMatch& match) const noexcept;

  // The route of a method at a node, where HEAD is content with that of GET.
  RouteId route_at(NodeIndex at, Method method) const noexcept;

  std::vector<Node> nodes_;  // the first is the root
  // Where patterns without parameters end, by their paths: a text beats everything else.
  std::unordered_map<std::string, NodeIndex, TextHash, std::equal_to<>> plain_;
  std::vector<Route> routes_;
};

}  // namespace weft::http
