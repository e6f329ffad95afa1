// SPDX-License-Identifier: Apache-2.0
// ServeAdmin: `--admin` of `weft serve`, on threads of its own: nothing that the handlers do holds
// it up.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "serve/admin.h"

namespace weft::tool {

class ServeAdmin {
 public:
  // The server outlives it.
  base::Status start(const std::string& place, serve::About about,
                     const serve::RunningServer& watched);
  void say_draining() noexcept {
    if (site_) site_->say_draining();
  }

 private:
  std::optional<serve::AdminSite> site_;
  std::unique_ptr<serve::RunningServer> server_;
};

}  // namespace weft::tool
