// SPDX-License-Identifier: Apache-2.0
// Requests and responses, as handlers of a service see them.
#include <weft/service.h>

#include "http/characters.h"
#include "http/target.h"
#include "serve/web_site.h"

namespace weft::service {

std::string_view HttpRequest::method() const noexcept {
  return call_.request.head.method_text();
}
std::string_view HttpRequest::path() const noexcept {
  return http::split_target(call_.request.head.path_and_query()).path;
}
std::string_view HttpRequest::parameter(std::string_view name) const {
  return call_.parameter(name).value_or(std::string_view());
}
std::optional<std::string> HttpRequest::query(std::string_view name) const {
  return http::find_parameter(call_.query, name);
}
std::optional<std::string_view> HttpRequest::field(std::string_view name) const {
  return call_.request.head.find(name);
}
bool HttpRequest::is_repeated(std::string_view name) const {
  const http::RequestHead& head = call_.request.head;
  std::size_t count = 0;
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    if (http::equals_ignoring_case(head.name(i), name)) ++count;
  }
  return count > 1;
}
std::string_view HttpRequest::body() const noexcept {
  return call_.request.body;
}

void HttpResponse::set_status(unsigned status) {
  response_.set_status(status);
}
void HttpResponse::set_type(std::string_view type) {
  response_.set_type(type);
}
void HttpResponse::set_body(std::string body) {
  response_.set_body(std::move(body));
}
void HttpResponse::add_field(std::string_view name, std::string_view value) {
  response_.add_field(name, value);
}

}  // namespace weft::service
