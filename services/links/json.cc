// SPDX-License-Identifier: Apache-2.0
// JSON by nlohmann's library.
#include "json.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

namespace links {
namespace {

using nlohmann::json;

json object_of(const Link& link) {
  return {{"key", link.key},
          {"path", "/" + link.key},
          {"url", link.url},
          {"created", to_text(link.created)},
          {"expires", link.expires ? json(to_text(*link.expires)) : json(nullptr)},
          {"visits", link.visits}};
}

[[noreturn]] void refuse(const std::string& text) {
  throw Failure(Problem::invalid, text);
}

std::string text_in(const char* name, const json& value) {
  if (!value.is_string()) refuse(std::string(name) + ": it is not a string");
  return value.get<std::string>();
}

std::int64_t integer_in(const char* name, const json& value) {
  // What is beyond 63 bits is unsigned, or a float.
  const bool is_too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
  if (!value.is_number_integer() || is_too_large) {
    refuse(std::string(name) + ": it is not an integer of 64 bits");
  }
  return value.get<std::int64_t>();
}

// Others who read the same text may take the first of two members with one name, where we would
// take the last.
json parse(std::string_view text) {
  std::set<std::string> names;  // of the outermost object; all others are refused
  bool is_ambiguous = false;
  const auto look = [&](int depth, json::parse_event_t event, const json& name) {
    if (event == json::parse_event_t::key && depth == 1 && !names.insert(name).second) {
      is_ambiguous = true;
    }
    return true;
  };
  try {
    json value = json::parse(text, look);
    if (is_ambiguous) throw Failure(Problem::malformed, "the body has a member twice");
    return value;
  } catch (const json::parse_error& error) {
    // Not its own words: they quote what they were given.
    throw Failure(Problem::malformed, "the body is not JSON: byte " + std::to_string(error.byte));
  } catch (const json::exception&) {  // such as a number beyond all
    throw Failure(Problem::malformed, "the body is not JSON that can be read");
  }
}

// What was refused may not be UTF-8.
std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

NewLink read_new_link(std::string_view text) {
  if (text.size() > most_body_bytes) {
    throw Failure(Problem::too_large, "a body has at most 16384 bytes");
  }
  const json body = parse(text);
  if (!body.is_object()) throw Failure(Problem::malformed, "the body is not an object of JSON");
  NewLink wanted;
  if (!body.contains("url")) refuse("url: it is missing");
  for (const auto& [name, value] : body.items()) {
    if (name == "url") {
      wanted.url = text_in("url", value);
    } else if (name == "key") {
      if (!value.is_null()) wanted.key = text_in("key", value);
    } else if (name == "expires_in_s") {
      if (!value.is_null()) wanted.expires_in_s = integer_in("expires_in_s", value);
    } else {
      refuse("there is a field that is none of url, key and expires_in_s");
    }
  }
  return wanted;
}

std::string to_json(const Link& link) {
  return dump(object_of(link));
}

std::string to_json(std::span<const Link> page, bool is_last) {
  json found = json::array();
  for (const Link& link : page) found.push_back(object_of(link));
  const bool goes_on = !is_last && !page.empty();
  return dump({{"links", std::move(found)}, {"next", goes_on ? json(page.back().key) : json()}});
}

std::string to_json(Problem problem, const std::string& text) {
  return dump({{"error", {{"code", meaning_of(problem).name}, {"message", text}}}});
}

std::string to_text(Instant time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(static_cast<std::time_t>(seconds.time_since_epoch().count())),
                     (time - seconds).count());
}

}  // namespace links
