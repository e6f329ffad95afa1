// SPDX-License-Identifier: Apache-2.0
// URLs are taken apart by hand: scheme, authority, the rest.
#include "load/endpoint.h"

#include <netdb.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/text.h"

namespace weft::load {
namespace {

bool has_control_or_space(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7f;
  });
}

base::Error bad_url(std::string_view text, const std::string& what) {
  return {"'" + base::printable(text) + "' is no URL to load: " + what};
}

base::Status resolve(Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int problem = getaddrinfo(endpoint.host.c_str(), endpoint.port.c_str(), &hints, &found);
  if (problem != 0) {
    return base::Error{"cannot find the host " + base::printable(endpoint.host) + ": " +
                       gai_strerror(problem)};
  }
  std::memcpy(&endpoint.address, found->ai_addr, found->ai_addrlen);
  endpoint.address_bytes = found->ai_addrlen;
  freeaddrinfo(found);
  return base::Done{};
}

bool names_field(std::string_view header, std::string_view lower) {
  return header.size() > lower.size() && header[lower.size()] == ':' &&
         strncasecmp(header.data(), lower.data(), lower.size()) == 0;
}

base::Status check_headers(const Request& request) {
  for (const std::string& header : request.headers) {
    const auto colon = header.find(':');
    const bool fine = colon != std::string::npos && colon > 0 &&
                      !has_control_or_space(std::string_view(header).substr(0, colon)) &&
                      header.find_first_of("\r\n") == std::string::npos;
    if (!fine) {
      return base::Error{"'" + base::printable(header) + "' is no header; write 'Name: value'"};
    }
  }
  return base::Done{};
}

std::string bytes_of(const Request& request, const Url& url, bool closes_connection) {
  const auto is_given = [&](std::string_view lower) {
    return std::any_of(request.headers.begin(), request.headers.end(),
                       [&](const std::string& header) { return names_field(header, lower); });
  };
  std::string bytes = request.method + " " + url.path + " HTTP/1.1\r\n";
  if (!is_given("host")) {
    const bool is_address6 = url.host.find(':') != std::string::npos;
    const bool is_usual = url.port == (url.is_secure ? "443" : "80");
    bytes += "Host: " + (is_address6 ? "[" + url.host + "]" : url.host) +
             (is_usual ? "" : ":" + url.port) + "\r\n";
  }
  if (!is_given("user-agent")) bytes += "User-Agent: weft-load\r\n";
  if (!request.body.empty() && !is_given("content-length")) {
    bytes += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  if (closes_connection && !is_given("connection")) bytes += "Connection: close\r\n";
  for (const std::string& header : request.headers) bytes += header + "\r\n";
  return bytes + "\r\n" + request.body;
}

}  // namespace

base::Result<Url> parse_url(std::string_view text) {
  Url url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    url.is_secure = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return bad_url(text, "it begins with neither http:// nor https://");
  }
  if (has_control_or_space(rest)) return bad_url(text, "there is white space in it");
  rest = rest.substr(0, rest.find('#'));
  const auto path = rest.find_first_of("/?");
  std::string_view authority = rest.substr(0, path);
  if (path != std::string_view::npos) url.path = rest.substr(path);
  if (!url.path.starts_with('/')) url.path.insert(0, "/");
  if (authority.find('@') != std::string_view::npos) {
    return bad_url(text, "a user in it is not supported; give a header");
  }
  if (authority.starts_with('[')) {
    const auto end = authority.find(']');
    if (end == std::string_view::npos) return bad_url(text, "a '[' without a ']'");
    url.host = authority.substr(1, end - 1);
    authority.remove_prefix(end + 1);
  } else {
    url.host = authority.substr(0, authority.find(':'));
    authority.remove_prefix(url.host.size());
  }
  if (url.host.empty()) return bad_url(text, "it has no host");
  url.port = url.is_secure ? "443" : "80";
  if (!authority.empty()) {
    const auto port = base::to_number<std::uint16_t>(authority.substr(1));
    if (authority[0] != ':' || !port || *port == 0) return bad_url(text, "its port is no number");
    url.port = std::to_string(*port);
  }
  return url;
}

base::Result<Targets> prepare(const std::vector<Request>& requests, bool closes_connection) {
  if (requests.empty()) return base::Error{"there is nothing to request: give a URL"};
  if (requests.size() > std::numeric_limits<std::uint16_t>::max()) {
    return base::Error{"more than 65535 different requests"};
  }
  Targets targets;
  for (const Request& request : requests) {
    auto url = parse_url(request.url);
    if (!url) return url.error();
    if (!(request.weight > 0) || !std::isfinite(request.weight)) {
      return base::Error{"the weight of " + base::printable(request.url) + " is not above 0"};
    }
    if (request.method.empty() || has_control_or_space(request.method)) {
      return base::Error{"'" + base::printable(request.method) + "' is no method"};
    }
    if (auto fine = check_headers(request); !fine) return fine.error();
    const auto same = std::find_if(
        targets.endpoints.begin(), targets.endpoints.end(), [&](const Endpoint& endpoint) {
          return endpoint.is_secure == url->is_secure && endpoint.host == url->host &&
                 endpoint.port == url->port;
        });
    const auto index = static_cast<std::size_t>(same - targets.endpoints.begin());
    if (same == targets.endpoints.end()) {
      Endpoint endpoint{url->is_secure, url->host, url->port};
      if (auto fine = resolve(endpoint); !fine) return fine.error();
      targets.endpoints.push_back(std::move(endpoint));
    }
    targets.requests.push_back(
        {bytes_of(request, *url, closes_connection), index, request.method == "HEAD"});
  }
  return targets;
}

std::vector<std::uint16_t> choose_requests(const std::vector<Request>& requests, std::size_t count,
                                           std::uint64_t seed) {
  std::vector<std::uint16_t> chosen(count, 0);
  if (requests.size() < 2) return chosen;
  std::vector<double> up_to;
  up_to.reserve(requests.size());
  double sum = 0;
  for (const Request& request : requests) up_to.push_back(sum += request.weight);
  constexpr std::uint64_t lot_of_its_own = 0x9e3779b97f4a7c15;
  std::mt19937_64 engine(seed ^ lot_of_its_own);
  constexpr double scale = 1.0 / (1ULL << 53);
  for (std::uint16_t& index : chosen) {
    const double point = static_cast<double>(engine() >> 11) * scale * sum;
    const auto at = std::upper_bound(up_to.begin(), up_to.end(), point) - up_to.begin();
    index = static_cast<std::uint16_t>(
        std::min<std::ptrdiff_t>(at, static_cast<std::ptrdiff_t>(up_to.size()) - 1));
  }
  return chosen;
}

}  // namespace weft::load
