// SPDX-License-Identifier: Apache-2.0
// What the files of `weft serve` share: its options as they were given, and what they ask for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/file.h"
#include "serve/access_log.h"
#include "serve/running_server.h"
#include "serve/site.h"
#include "serve/web_site.h"

namespace weft::tool {

struct ServeArguments {
  std::string folder;
  std::vector<std::string> listen;
  std::string admin;
  std::string policy = "adaptive";
  int workers = 0;
  int most_workers = 0;
  int grace_seconds = 30;
  std::string certificate, key;
  std::string access_log;
  std::string access_log_format = "combined";
  bool test_handlers = false;
};

using Listeners = std::vector<os::Descriptor>;
using MakeServer = std::unique_ptr<serve::RunningServer> (*)(const ServeArguments& arguments,
                                                             serve::Site& site,
                                                             Listeners listeners);

// Who makes a server of that policy; the Error names those that there are.
base::Result<MakeServer> find_policy(const std::string& name);

// Those that were handed over, or else those that the options name.
base::Result<Listeners> open_listeners(const ServeArguments& arguments);
base::Status fill_site(serve::WebSite& site, const ServeArguments& arguments);
// None, where none is asked for.
base::Result<std::unique_ptr<serve::AccessLog>> open_log(const ServeArguments& arguments);
// Again for one that was renewed. Where it is wrong the old one stays.
base::Status read_certificate(const ServeArguments& arguments, serve::RunningServer& server);

}  // namespace weft::tool
