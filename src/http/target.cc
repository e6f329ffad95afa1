// SPDX-License-Identifier: Apache-2.0
// The path of a request target, and its query.
#include "http/target.h"

#include <cstring>

#include "http/characters.h"
#include "os/check.h"

namespace weft::http {
namespace {

// One escape, "%41": the byte, if there are two digits.
std::optional<char> decode_escape(std::string_view text) {
  if (text.size() < 3 || !is_of(text[1], hex_class) || !is_of(text[2], hex_class)) {
    return std::nullopt;
  }
  return static_cast<char>(hex_value(text[1]) << 4U | hex_value(text[2]));
}

bool is_refused(char byte) {
  return byte != '%' && !is_of(byte, segment_class);
}

// Whether the path is what it would be resolved to. Precondition: it begins with "/".
bool is_plain(std::string_view path) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (!is_of(path[i], segment_class)) return false;
    if (path[i] != '/' || i + 1 == path.size()) continue;
    if (path[i + 1] == '/' || path[i + 1] == '.') return false;
  }
  return true;
}

// Writes segments behind one another. Never longer than what it has read.
class Resolver {
 public:
  explicit Resolver(char* begin) : begin_(begin), at_(begin) {}

  // Copies the decoded segment; false: it is to be refused.
  bool add(std::string_view segment) {
    char* const start = at_;
    for (std::size_t i = 0; i < segment.size(); ++i) {
      char byte = segment[i];
      if (byte == '%') {
        const auto decoded = decode_escape(segment.substr(i));
        if (!decoded || *decoded == '/') return false;
        byte = *decoded;
        i += 2;
      }
      if (is_refused(byte)) return false;
      *at_++ = byte;
    }
    const std::string_view written(start, static_cast<std::size_t>(at_ - start));
    if (written.empty() || written == ".") {
      at_ = start;
    } else if (written == "..") {
      at_ = start;
      return remove_last();
    } else {
      *at_++ = '/';
    }
    return true;
  }

  // Each segment has a "/" behind it; the last one only if the path has.
  std::string_view finish(bool ends_in_slash) {
    if (!ends_in_slash) --at_;
    return {begin_, static_cast<std::size_t>(at_ - begin_)};
  }

  std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  bool remove_last() {
    if (at_ == begin_) return false;  // above the root
    --at_;
    while (at_ != begin_ && at_[-1] != '/') --at_;
    return true;
  }

  char* begin_;
  char* at_;
};

}  // namespace

Target split_target(std::string_view path_and_query) noexcept {
  const auto mark = path_and_query.find('?');
  if (mark == std::string_view::npos) return {path_and_query, {}};
  return {path_and_query.substr(0, mark), path_and_query.substr(mark + 1)};
}

std::optional<std::string_view> resolve_path(std::string_view path,
                                             std::span<char> memory) noexcept {
  if (path.empty()) return path;  // of "http://host"
  if (path.front() != '/') return std::nullopt;
  if (is_plain(path)) return path.substr(1);

  os::check(memory.size() >= path.size(), "a path needs as much memory as it has bytes");
  Resolver resolver(memory.data());
  std::string_view rest = path.substr(1);
  for (;;) {
    const auto slash = rest.find('/');
    const std::size_t size_before = resolver.size();
    if (!resolver.add(rest.substr(0, slash))) return std::nullopt;
    if (slash == std::string_view::npos) {
      // The last segment: a name, unless it was "", "." or "..", which are folders.
      const bool is_name = resolver.size() > size_before;
      return resolver.finish(!is_name);
    }
    rest.remove_prefix(slash + 1);
  }
}

std::optional<QueryParameters::Parameter> QueryParameters::next() noexcept {
  while (!rest_.empty()) {
    const auto end = rest_.find('&');
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (text.empty()) continue;
    const auto sign = text.find('=');
    if (sign == std::string_view::npos) return Parameter{text, {}};
    return Parameter{text.substr(0, sign), text.substr(sign + 1)};
  }
  return std::nullopt;
}

std::string decode_parameter(std::string_view encoded) {
  std::string text;
  text.reserve(encoded.size());
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    const auto escape = encoded[i] == '%' ? decode_escape(encoded.substr(i)) : std::nullopt;
    if (escape) {
      text += *escape;
      i += 2;
    } else {
      text += encoded[i] == '+' ? ' ' : encoded[i];
    }
  }
  return text;
}

std::optional<std::string> find_parameter(std::string_view query, std::string_view name) {
  QueryParameters parameters(query);
  while (const auto parameter = parameters.next()) {
    if (decode_parameter(parameter->name) == name) return decode_parameter(parameter->value);
  }
  return std::nullopt;
}

}  // namespace weft::http
