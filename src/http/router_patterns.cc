// SPDX-License-Identifier: Apache-2.0
// Adding a route: its pattern is taken apart and becomes a way through the tree.
#include <algorithm>

#include "base/text.h"
#include "http/router.h"

namespace weft::http {
namespace {

enum class SegmentKind : std::uint8_t { text, parameter, rest, wrong };

struct Segment {
  SegmentKind kind;
  std::string_view text;  // or the name
};

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
  });
}

Segment read_segment(std::string_view text) {
  if (text.find_first_of("{}") == std::string_view::npos) return {SegmentKind::text, text};
  if (!text.starts_with('{') || !text.ends_with('}')) return {SegmentKind::wrong, text};
  std::string_view name = text.substr(1, text.size() - 2);
  const bool is_rest = name.ends_with('*');
  if (is_rest) name.remove_suffix(1);
  if (!is_name(name)) return {SegmentKind::wrong, text};
  return {is_rest ? SegmentKind::rest : SegmentKind::parameter, name};
}

// Calls with each segment behind the leading slash, and whether it is the last.
template <class Call>
void for_each_segment(std::string_view pattern, Call call) {
  std::string_view rest = pattern.substr(1);
  for (;;) {
    const auto slash = rest.find('/');
    const bool is_last = slash == std::string_view::npos;
    call(read_segment(rest.substr(0, slash)), is_last);
    if (is_last) return;
    rest.remove_prefix(slash + 1);
  }
}

base::Error wrong(std::string_view pattern, std::string_view what) {
  return {"the pattern \"" + base::printable(pattern) + "\" " + std::string(what)};
}

}  // namespace

base::Result<RouteId> Router::add(Method method, std::string_view pattern) {
  if (!pattern.starts_with('/')) return wrong(pattern, "does not begin with a slash");
  Route route{std::string(pattern), {}};
  for_each_segment(pattern, [&](Segment segment, bool) {
    const bool is_named =
        segment.kind == SegmentKind::parameter || segment.kind == SegmentKind::rest;
    if (is_named) route.parameters.emplace_back(segment.text);
  });
  if (const auto status = check(route, method); !status) return status.error();

  const NodeIndex node = node_of(pattern);
  if (route.parameters.empty()) plain_.emplace(pattern.substr(1), node);
  RouteId& place = nodes_[node].routes[static_cast<std::size_t>(method)];
  if (place != none) {
    return wrong(pattern, "matches the same paths as \"" + routes_[place].pattern + "\"");
  }
  place = static_cast<RouteId>(routes_.size());
  routes_.push_back(std::move(route));
  return place;
}

base::Status Router::check(const Route& route, Method method) const {
  const std::string_view pattern = route.pattern;
  if (method == Method::other) return wrong(pattern, "is for no known method");
  std::string_view fault;
  for_each_segment(pattern, [&](Segment segment, bool is_last) {
    if (segment.kind == SegmentKind::wrong) fault = "has braces that are not {name} or {name*}";
    if (segment.kind == SegmentKind::rest && !is_last) fault = "goes on behind {name*}";
    const bool is_dots = segment.text == "." || segment.text == "..";
    if (segment.kind == SegmentKind::text && (is_dots || (segment.text.empty() && !is_last))) {
      fault = "has a segment that no path has";
    }
  });
  if (!fault.empty()) return wrong(pattern, fault);
  auto names = route.parameters;
  if (names.size() > RouteMatch::most_parameters) return wrong(pattern, "has too many parameters");
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) {
    return wrong(pattern, "has two parameters of one name");
  }
  return base::Done{};
}

Router::NodeIndex Router::node_of(std::string_view pattern) {
  NodeIndex at = 0;
  for_each_segment(pattern, [&](Segment segment, bool) {
    if (segment.kind == SegmentKind::text) {
      at = text_child(at, segment.text);
      return;
    }
    const auto child = segment.kind == SegmentKind::rest ? &Node::rest : &Node::parameter;
    if (nodes_[at].*child == none) {
      const NodeIndex node = new_node();
      nodes_[at].*child = node;
    }
    at = nodes_[at].*child;
  });
  return at;
}

Router::NodeIndex Router::text_child(NodeIndex node, std::string_view text) {
  const auto before = [](const auto& child, std::string_view name) { return child.first < name; };
  const auto& known = nodes_[node].texts;
  const auto found = std::lower_bound(known.begin(), known.end(), text, before);
  if (found != known.end() && found->first == text) return found->second;
  const auto position = found - known.begin();
  const NodeIndex added = new_node();  // moves the nodes
  auto& texts = nodes_[node].texts;
  texts.emplace(texts.begin() + position, std::string(text), added);
  return added;
}

Router::NodeIndex Router::new_node() {
  nodes_.emplace_back();
  return static_cast<NodeIndex>(nodes_.size() - 1);
}

}  // namespace weft::http
