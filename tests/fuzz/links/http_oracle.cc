// SPDX-License-Identifier: Apache-2.0
// Request by request.
#include "links/http_oracle.h"

#include <weft/trace.h>

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "http/target.h"
#include "property.h"

namespace weft::fuzz {
namespace {

using nlohmann::json;

constexpr std::size_t most_body_bytes = 16'384;

::links::Instant read_time(const std::string& text) {
  std::tm time{};
  require(text.size() == 24 && text[19] == '.' && text[23] == 'Z' &&
              ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &time) == text.c_str() + 19,
          "a time is written as it should be");
  return ::links::Instant(std::chrono::seconds(::timegm(&time)) +
                          std::chrono::milliseconds(std::stoi(text.substr(20, 3))));
}

::links::Link link_in(const json& object) {
  require(object.is_object() && object.size() == 6, "a link has six members");
  ::links::Link link{object.at("key"), object.at("url"), read_time(object.at("created")),
                     std::nullopt, object.at("visits")};
  if (!object.at("expires").is_null()) link.expires = read_time(object.at("expires"));
  require(object.at("path") == "/" + link.key, "the path is the key's");
  return link;
}

json object_in(const Reply& reply) {
  require(reply.field("Content-Type") == "application/json", "it is said to be JSON");
  require(is_utf8(reply.body), "JSON is UTF-8");
  json object = json::parse(reply.body, nullptr, false);
  require(object.is_object(), "and it is an object");
  return object;
}

// An error of the service's own, with that name.
void require_error(const Reply& reply, unsigned status, std::string_view name) {
  require(reply.status == status, "the status is that of the problem");
  if (reply.is_to_head) return;
  const json object = object_in(reply);
  require(object.size() == 1 && object.at("error").size() == 2, "an error has its form");
  require(object.at("error").at("code") == name, "and the problem its name");
  require(object.at("error").at("message").is_string(), "and says more");
}

std::string as_location(std::string_view url) {
  std::string text;
  for (const char c : url) {
    std::array<char, 4> escape{};
    std::snprintf(escape.data(), escape.size(), "%%%02X", static_cast<unsigned char>(c));
    text += static_cast<unsigned char>(c) < 0x80 ? std::string(1, c) : std::string(escape.data());
  }
  return text;
}

std::string lower(std::string_view text) {
  std::string all(text);
  for (char& c : all) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return all;
}

bool is_json_type(const std::vector<std::string>& types) {
  if (types.size() != 1) return false;
  std::string type = lower(types[0]).substr(0, types[0].find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.pop_back();
  return type == "application/json";
}

}  // namespace

Asked::Asked(const http::RequestHead& head, std::string_view sent)
    : method(head.method_text()),
      target(head.target()),
      path_and_query(head.path_and_query()),
      body(sent),
      is_asterisk(head.form() == http::TargetForm::asterisk) {
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    fields.emplace_back(lower(head.name(i)), head.value(i));
  }
}

std::vector<std::string> Asked::values(std::string_view name) const {
  std::vector<std::string> all;
  for (const auto& [each, value] : fields) {
    if (each == name) all.push_back(value);
  }
  return all;
}

HttpOracle::Route HttpOracle::route_of(const Asked& asked) {
  if (asked.is_asterisk) return {};
  const http::Target target = http::split_target(asked.path_and_query);
  std::string memory(target.path.size(), '\0');
  const auto path = http::resolve_path(target.path, memory);
  if (!path || path->empty()) return {};
  const bool is_get = asked.method == "GET" || asked.method == "HEAD";
  const std::string query(target.query);
  if (*path == "links") {
    if (asked.method == "POST") return {Operation::create, "", query};
    return {is_get ? Operation::list : Operation::none, "", query};
  }
  const bool is_item = path->starts_with("links/");
  const std::string key(is_item ? path->substr(6) : *path);
  if (key.empty() || key.find('/') != std::string::npos) return {};
  if (is_item && asked.method == "DELETE") return {Operation::remove, key, query};
  if (is_get) return {is_item ? Operation::get : Operation::follow, key, query};
  return {};
}

// None: it cannot be read, and `status` says how that is answered.
std::optional<::links::NewLink> HttpOracle::wanted_of(const Asked& asked, unsigned& status) {
  status = 415;
  if (!is_json_type(asked.values("content-type"))) return std::nullopt;
  status = 413;
  if (asked.body.size() > most_body_bytes) return std::nullopt;
  status = 400;
  std::vector<json> names;
  const auto keep_name = [&](int depth, json::parse_event_t event, const json& name) {
    if (depth == 1 && event == json::parse_event_t::key) names.push_back(name);
    return true;
  };
  const json object = json::parse(asked.body, keep_name, false);
  if (!object.is_object() || object.size() != names.size() || !is_utf8(asked.body)) {
    return std::nullopt;
  }
  status = 422;
  ::links::NewLink wanted;
  const auto creations = asked.values("idempotency-key");
  if (creations.size() > 1 || !object.contains("url")) return std::nullopt;
  if (!creations.empty()) wanted.idempotency_key = creations[0];
  for (const auto& [name, value] : object.items()) {
    if (name == "url" && value.is_string()) {
      wanted.url = value;
    } else if (name == "key" && value.is_string()) {
      wanted.key = value;
    } else if (name == "expires_in_s" && value.is_number_integer()) {
      if (value.is_number_unsigned() && value.get<std::uint64_t>() >> 63U != 0) return std::nullopt;
      wanted.expires_in_s = value.get<std::int64_t>();
    } else if ((name != "key" && name != "expires_in_s") || !value.is_null()) {
      return std::nullopt;
    }
  }
  return wanted;
}

bool HttpOracle::check_time(const Asked& asked, const Route& route, const Reply& reply) {
  const auto times = asked.values("grpc-timeout");
  const bool is_well_formed = std::ranges::all_of(times, [](const std::string& time) {
    return time.size() >= 2 && time.size() <= 9 &&
           time.find_first_not_of("0123456789") == time.size() - 1 &&
           std::string_view("HMSmun").find(time.back()) != std::string_view::npos;
  });
  if (times.size() > 1 || !is_well_formed) {
    require(reply.status == 400, "a timeout that is none is refused");
    return false;
  }
  if (reply.status != 504) {
    const bool is_over = !times.empty() && std::stoul(times[0]) == 0;
    require(!is_over, "whose time is over hears so");
    return true;
  }
  require(!times.empty() && times[0].find_first_of("munS") != std::string::npos,
          "only who has said so is late");
  unsigned status = 0;
  const auto wanted =
      route.operation == Operation::create ? wanted_of(asked, status) : std::nullopt;
  require(model_.reconcile(house_.stored(), wanted ? &*wanted : nullptr,
                           route.operation == Operation::follow ? route.key : "",
                           route.operation == Operation::remove ? route.key : ""),
          "who is late is served, or not");
  return false;
}

void HttpOracle::check_create(const Asked& asked, const Reply& reply) {
  unsigned status = 0;
  const auto wanted = wanted_of(asked, status);
  const Judgement judgement = wanted ? judge(*wanted) : Judgement::must_refuse;
  if (!wanted) {
    const char* const name = status == 415   ? "unsupported_type"
                             : status == 413 ? "too_large"
                             : status == 400 ? "malformed"
                                             : "invalid";
    return require_error(reply, status, name);
  }
  const bool is_invalid = reply.status == 422 && object_in(reply)["error"]["code"] == "invalid";
  if (judgement == Judgement::must_refuse || is_invalid) {
    require(judgement != Judgement::must_take, "what is allowed is taken");
    return require_error(reply, 422, "invalid");
  }
  const auto creation = model_.creation(*wanted);
  if (creation == Model::Creation::reused) return require_error(reply, 422, "reused");
  if (creation == Model::Creation::taken) return require_error(reply, 409, "taken");
  require(reply.status == 201, "a link is made");
  const ::links::Link link = link_in(object_in(reply));
  require(reply.field("Location") == "/links/" + link.key, "and is where it is said to be");
  if (creation == Model::Creation::again) {
    return require(is_same(link, model_.earlier(*wanted)), "the same again is the same link");
  }
  require_made(model_, *wanted, link);
  model_.add(*wanted, link);
}

void HttpOracle::check_list(const Route& route, const Reply& reply) {
  const auto parameter = [&](std::string_view name) {
    return http::find_parameter(route.query, name);
  };
  ::links::Page page{parameter("prefix").value_or(""), parameter("after").value_or(""), 100};
  if (const auto limit = parameter("limit")) {
    const bool is_number = !limit->empty() && limit->size() < 10 &&
                           limit->find_first_not_of("0123456789") == std::string::npos;
    page.limit = is_number ? std::stol(*limit) : 0;
  }
  const auto may_begin_key = [](const std::string& text) { return text.empty() || is_key(text); };
  if (!may_begin_key(page.prefix) || !may_begin_key(page.after) || page.limit < 1 ||
      page.limit > 1000) {
    return require_error(reply, 422, "invalid");
  }
  require(reply.status == 200, "a page is to be had");
  if (reply.is_to_head) return;
  const json object = object_in(reply);
  const auto expected = model_.page(page);
  require(object.size() == 2 && object.at("links").size() == expected.size(), "all are in it");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    require(is_same(link_in(object.at("links").at(i)), expected[i]), "as they are, in their order");
  }
  const bool may_go_on = std::ssize(expected) == page.limit;
  require(may_go_on ? object.at("next") == expected.back().key : object.at("next").is_null(),
          "and where it goes on");
}

void HttpOracle::check_get(const Route& route, const Reply& reply) {
  const Kept* const kept = model_.find(route.key);
  if (kept == nullptr) return require_error(reply, 404, "not_found");
  require(reply.status == 200, "a link can be looked at");
  if (reply.is_to_head) return;
  require(is_same(link_in(object_in(reply)), kept->link), "as it is");
}

void HttpOracle::check_follow(const Route& route, const Reply& reply) {
  const Kept* const kept = model_.find(route.key);
  if (kept == nullptr) return require_error(reply, 404, "not_found");
  if (reply.status == 410) {
    require(kept->link.expires && *kept->link.expires <= ::links::Links::clock(), "it has expired");
    return require_error(reply, 410, "expired");
  }
  require(reply.status == 302, "a visitor is sent on");
  require(reply.field("Location") == as_location(kept->link.url), "to where the link goes");
  model_.visit(route.key);
}

void HttpOracle::check(const Asked& asked, const Reply& reply) {
  const Route route = route_of(asked);
  if (route.operation == Operation::none) {
    constexpr unsigned expected[] = {204, 400, 404, 405, 501};
    require(std::ranges::find(expected, reply.status) != std::end(expected),
            "what is nothing of ours is refused");
  } else {
    const auto id = reply.field("X-Request-Id");
    require(id && is_correlation_id(*id), "a request has a name");
    const auto wished = asked.values("x-request-id");
    const bool is_good = wished.size() == 1 && is_correlation_id(wished[0]);
    require(!is_good || *id == wished[0], "and it is the client's, if that is one");
    if (check_time(asked, route, reply)) {
      switch (route.operation) {
        case Operation::create:
          check_create(asked, reply);
          break;
        case Operation::list:
          check_list(route, reply);
          break;
        case Operation::get:
          check_get(route, reply);
          break;
        case Operation::remove:
          if (model_.find(route.key) == nullptr) {
            require_error(reply, 404, "not_found");
          } else {
            require(reply.status == 204, "what is there can be deleted");
          }
          model_.remove(route.key);
          break;
        default:
          check_follow(route, reply);
      }
    }
  }
  require(house_.stored() == model_.all(), "nothing is stored but what was acknowledged");
  house_.check_lines();
}

}  // namespace weft::fuzz
