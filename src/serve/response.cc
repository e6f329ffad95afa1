// SPDX-License-Identifier: Apache-2.0
// What handlers may say, checked.
#include "serve/response.h"

#include <array>
#include <stdexcept>

#include "http/characters.h"
#include "http/response_head.h"

namespace weft::serve {
namespace {

constexpr std::array<std::string_view, 4> reserved_names = {"content-length", "transfer-encoding",
                                                            "connection", "date"};
// Enough for what most responses say of themselves, so that memory is asked for once.
constexpr std::size_t first_field_bytes = 128;
constexpr std::size_t most_kept_bytes = 4096;

}  // namespace

void Response::reset() noexcept {
  status_ = 200;
  for (std::string* const text : {&fields_, &text_}) {
    text->clear();
    if (text->capacity() > most_kept_bytes) std::string().swap(*text);
  }
  body_ = {};
  owner_.reset();
  if (file_.file != nullptr) file_ = {};
  source_.reset();
  sink_.reset();
}

void Response::set_status(unsigned status) {
  if (status < 200 || status > 599) throw std::invalid_argument("no status of a response");
  status_ = status;
}

void Response::add_field(std::string_view name, std::string_view value) {
  const char* const end = value.data() + value.size();
  if (!http::is_token(name) || http::find_control(value.data(), end) != end) {
    throw std::invalid_argument("a field of a response with characters that it must not have");
  }
  for (const std::string_view reserved : reserved_names) {
    if (http::equals_ignoring_case(name, reserved)) {
      throw std::invalid_argument("a field of a response that the server writes itself");
    }
  }
  if (fields_.empty()) fields_.reserve(first_field_bytes);
  fields_.append(name).append(1, '\0').append(value).append(1, '\0');
}

void set_error(Response& response, unsigned status, std::string_view constant_reason) {
  response.set_status(status);
  response.set_type("text/html; charset=utf-8");
  response.set_body(http::error_page(status, constant_reason));
}

void set_overloaded(Response& response, std::string_view constant_reason,
                    std::chrono::seconds retry_after) {
  set_error(response, 503, constant_reason);
  response.add_field("Retry-After", std::to_string(retry_after.count()));
}

}  // namespace weft::serve
