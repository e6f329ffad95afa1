// SPDX-License-Identifier: Apache-2.0
// From a request to an operation, and from what came of it to a response.
#include "http_face.h"

#include <spdlog/logger.h>

#include <algorithm>
#include <charconv>

#include "failure.h"
#include "json.h"
#include "rules.h"

namespace links {
namespace {

using weft::service::HttpRequest;
using weft::service::HttpResponse;
using weft::sql::Access;

void say(HttpResponse& response, unsigned status, std::string json) {
  response.set_status(status);
  response.set_type("application/json");
  response.set_body(std::move(json));
}

// "application/json", with whatever parameters.
bool is_json(std::string_view type) noexcept {
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  return std::ranges::equal(type, std::string_view("application/json"), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

// A field is ASCII; the URL may be more.
std::string as_field(std::string_view url) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string field;
  for (const char c : url) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      field += c;
    } else {
      field += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return field;
}

std::int64_t limit_of(const HttpRequest& request) {
  const auto text = request.query("limit");
  if (!text) return usual_page;
  std::int64_t limit = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), limit);
  if (error != std::errc() || end != text->data() + text->size()) return 0;  // the rules refuse it
  return limit;
}

class HttpFace {
 public:
  HttpFace(spdlog::logger& log, Store& store) noexcept : log_(log), store_(store) {}

  void create(const HttpRequest& request, HttpResponse& response) {
    if (!is_json(request.field("content-type").value_or("")) ||
        request.is_repeated("content-type")) {
      throw Failure(Problem::unsupported_type, "the body has to be application/json");
    }
    NewLink wanted = read_new_link(request.body());
    if (request.is_repeated("idempotency-key")) {
      throw Failure(Problem::invalid, "there is more than one Idempotency-Key");
    }
    if (const auto key = request.field("idempotency-key")) wanted.idempotency_key = *key;
    const Link link = store_.run(Access::write, [&](Links& links) { return links.create(wanted); });
    log_.info("created {}", link.key);
    response.add_field("Location", "/links/" + link.key);
    say(response, 201, to_json(link));
  }

  void list(const HttpRequest& request, HttpResponse& response) {
    Page page{request.query("prefix").value_or(""), request.query("after").value_or(""),
              limit_of(request)};
    const auto found = store_.run(Access::read, [&](Links& links) { return links.list(page); });
    say(response, 200, to_json(found, std::ssize(found) < page.limit));
  }

  void get(const HttpRequest& request, HttpResponse& response) {
    const std::string_view key = request.parameter("key");
    say(response, 200,
        to_json(store_.run(Access::read, [&](Links& links) { return links.get(key); })));
  }

  void remove(const HttpRequest& request, HttpResponse& response) {
    const std::string_view key = request.parameter("key");
    store_.run(Access::write, [&](Links& links) {
      links.remove(key);
      return true;
    });
    log_.info("deleted {}", key);
    response.set_status(204);
  }

  void follow(const HttpRequest& request, HttpResponse& response) {
    const std::string_view key = request.parameter("key");
    const Link link = store_.run(Access::write, [&](Links& links) { return links.resolve(key); });
    response.set_status(302);
    response.add_field("Location", as_field(link.url));
    response.add_field("Cache-Control", "no-store");  // or visits would not be counted
  }

  void tell(const std::exception_ptr& thrown, HttpResponse& response) {
    const Told told = links::tell(thrown);
    if (!told.for_log.empty()) log_.warn("{}", told.for_log);
    if (told.problem == Problem::unavailable) response.add_field("Retry-After", "1");
    say(response, meaning_of(told.problem).http_status, to_json(told.problem, told.for_client));
  }

 private:
  spdlog::logger& log_;
  Store& store_;
};

}  // namespace

void serve_http(weft::service::Service& service, Store& store) {
  const auto face = std::make_shared<HttpFace>(service.log(), store);
  using Member = void (HttpFace::*)(const HttpRequest&, HttpResponse&);
  const auto add = [&](const char* method, const char* pattern, Member member) {
    service.http(method, pattern, [=](const HttpRequest& request, HttpResponse& response) {
      try {
        (face.get()->*member)(request, response);
      } catch (...) {
        face->tell(std::current_exception(), response);
      }
    });
  };
  add("POST", "/links", &HttpFace::create);
  add("GET", "/links", &HttpFace::list);
  add("GET", "/links/{key}", &HttpFace::get);
  add("DELETE", "/links/{key}", &HttpFace::remove);
  add("GET", "/{key}", &HttpFace::follow);
}

}  // namespace links
