// SPDX-License-Identifier: Apache-2.0
// Finding a route.
#include "http/router.h"

#include <algorithm>
#include <cstring>

namespace weft::http {

std::string allow_text(MethodSet methods) {
  std::string text;
  for (std::size_t i = 0; i < method_names.size(); ++i) {
    if (!methods.has(static_cast<Method>(i))) continue;
    if (!text.empty()) text += ", ";
    text += method_names[i];
  }
  return text;
}

RouteMatch Router::find(Method method, std::string_view path) const noexcept {
  RouteMatch match;
  if (method == Method::other) {
    match.kind = RouteMatch::Kind::not_implemented;
    return match;
  }
  if (const auto plain = plain_.find(path); plain != plain_.end()) {
    match.route = route_at(plain->second, method);
    if (match.route != none) {
      match.kind = RouteMatch::Kind::found;
      return match;
    }
  }
  if (walk(0, path, false, method, match)) {
    match.kind = RouteMatch::Kind::found;
  } else if (match.allowed.empty()) {
    match.kind = RouteMatch::Kind::not_found;
  } else {
    match.allowed.add(Method::options);
    if (match.allowed.has(Method::get)) match.allowed.add(Method::head);
    match.kind = method == Method::options ? RouteMatch::Kind::options
                                           : RouteMatch::Kind::method_not_allowed;
  }
  return match;
}

bool Router::walk(NodeIndex at, std::string_view rest, bool is_end, Method method,
                  RouteMatch& match) const noexcept {
  if (is_end) return try_node(at, method, match);
  const Node& node = nodes_[at];
  const auto slash = rest.find('/');
  const std::string_view segment = rest.substr(0, slash);
  const bool is_last = slash == std::string_view::npos;
  const std::string_view behind = is_last ? std::string_view() : rest.substr(slash + 1);

  const auto text =
      std::lower_bound(node.texts.begin(), node.texts.end(), segment,
                       [](const auto& child, std::string_view name) { return child.first < name; });
  if (text != node.texts.end() && text->first == segment &&
      walk(text->second, behind, is_last, method, match)) {
    return true;
  }
  if (node.parameter != none && !segment.empty() &&
      try_with(node.parameter, segment, behind, is_last, method, match)) {
    return true;
  }
  return node.rest != none && try_with(node.rest, rest, {}, true, method, match);
}

bool Router::try_with(NodeIndex at, std::string_view value, std::string_view rest, bool is_end,
                      Method method, RouteMatch& match) const noexcept {
  match.values[match.value_count++] = value;
  if (walk(at, rest, is_end, method, match)) return true;
  --match.value_count;
  return false;
}

std::size_t Router::TextHash::operator()(std::string_view text) const noexcept {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (text.size() >= sizeof first) {
    std::memcpy(&first, text.data(), sizeof first);
    std::memcpy(&last, text.data() + text.size() - sizeof last, sizeof last);
  } else {
    for (const char byte : text) first = first << 8U | static_cast<unsigned char>(byte);
  }
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio
  return ((first * odd) ^ last ^ text.size()) * odd >> 32U;
}

RouteId Router::route_at(NodeIndex at, Method method) const noexcept {
  const auto& routes = nodes_[at].routes;
  const RouteId route = routes[static_cast<std::size_t>(method)];
  const bool is_head = route == none && method == Method::head;
  return is_head ? routes[static_cast<std::size_t>(Method::get)] : route;
}

bool Router::try_node(NodeIndex at, Method method, RouteMatch& match) const noexcept {
  const RouteId route = route_at(at, method);
  if (route != none) {
    match.route = route;
    return true;
  }
  const auto& routes = nodes_[at].routes;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (routes[i] != none) match.allowed.add(static_cast<Method>(i));
  }
  return false;
}

std::optional<std::string_view> Router::parameter(const RouteMatch& match,
                                                  std::string_view name) const noexcept {
  if (match.kind != RouteMatch::Kind::found) return std::nullopt;
  const auto& names = routes_[match.route].parameters;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return match.values[static_cast<std::size_t>(found - names.begin())];
}

MethodSet Router::allowed_anywhere() const noexcept {
  MethodSet methods;
  methods.add(Method::options);
  for (const Node& node : nodes_) {
    for (std::size_t i = 0; i < node.routes.size(); ++i) {
      if (node.routes[i] != none) methods.add(static_cast<Method>(i));
    }
  }
  if (methods.has(Method::get)) methods.add(Method::head);
  return methods;
}

}  // namespace weft::http
