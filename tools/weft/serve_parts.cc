// SPDX-License-Identifier: Apache-2.0
// What the options of `weft serve` name is opened: sockets, the folder, the log, the certificate.
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "net/address.h"
#include "net/listener.h"
#include "net/service_manager.h"
#include "net/tls.h"
#include "serve.h"
#include "serve/file_tree.h"

namespace weft::tool {
namespace {

constexpr const char* default_address = "127.0.0.1:8080";

}  // namespace

base::Result<Listeners> open_listeners(const ServeArguments& arguments) {
  auto sockets = net::take_inherited_sockets();
  if (!sockets || !sockets->empty()) return sockets;
  std::vector<std::string> places = arguments.listen;
  if (places.empty()) places.emplace_back(default_address);
  for (const std::string& place : places) {
    const auto address = net::Address::parse(place);
    if (!address) return address.error();
    auto socket = net::listen_on(*address);
    if (!socket) return socket.error();
    sockets->push_back(std::move(*socket));
  }
  return sockets;
}

base::Status fill_site(serve::WebSite& site, const ServeArguments& arguments) {
  if (!arguments.folder.empty()) {
    auto tree = serve::FileTree::open(arguments.folder);
    if (!tree) return tree.error();
    site.add_files(std::move(*tree));
  }
  if (arguments.test_handlers) return serve::add_test_handlers(site);
  return base::Done{};
}

base::Result<std::unique_ptr<serve::AccessLog>> open_log(const ServeArguments& arguments) {
  if (arguments.access_log.empty()) return std::unique_ptr<serve::AccessLog>();
  const std::string& format = arguments.access_log_format;
  if (format != "combined" && format != "json") {
    return base::Error{"there is no access log format '" + format + "': say combined or json"};
  }
  return serve::AccessLog::open(
      {.path = arguments.access_log,
       .format = format == "json" ? serve::AccessFormat::json : serve::AccessFormat::combined,
       .complain = [](const std::string& message) {
         std::cerr << "weft serve: " + message + "\n";
       }});
}

base::Status read_certificate(const ServeArguments& arguments, serve::RunningServer& server) {
  if (arguments.certificate.empty()) return base::Done{};
  auto context = net::TlsContext::load(arguments.certificate, arguments.key);
  if (!context) return context.error();
  server.use_tls(std::move(*context));
  return base::Done{};
}

}  // namespace weft::tool
