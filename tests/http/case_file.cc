// SPDX-License-Identifier: Apache-2.0
// Reads the cases.
#include "case_file.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace weft::http {
namespace {

using Json = nlohmann::json;

// From UTF-8, in which JSON is read, back to the bytes that its characters stand for.
std::string to_bytes(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      bytes += text[i];
    } else if (lead == 0xc2 || lead == 0xc3) {
      const auto trail = static_cast<unsigned char>(text.at(++i));
      bytes += static_cast<char>((lead & 3U) << 6U | (trail & 0x3fU));
    } else {
      throw std::runtime_error("a character above U+00FF in: " + text);
    }
  }
  return bytes;
}

std::string bytes_of(const Json& send) {
  if (send.is_string()) return to_bytes(send.get<std::string>());
  if (send.is_object()) {
    const std::string piece = to_bytes(send.at("repeat").get<std::string>());
    std::string bytes;
    for (auto times = send.at("times").get<int>(); times > 0; --times) bytes += piece;
    return bytes;
  }
  std::string bytes;
  for (const Json& piece : send) bytes += bytes_of(piece);
  return bytes;
}

}  // namespace

std::vector<Case> read_cases(const std::string& path) {
  std::ifstream stream(path);
  std::vector<Case> cases;
  for (const Json& json : Json::parse(stream)) {
    cases.push_back({json.at("name").get<std::string>(), bytes_of(json.at("send")),
                     json.at("expect").get<std::vector<int>>(), json.at("closes").get<bool>()});
  }
  return cases;
}

}  // namespace weft::http
