// SPDX-License-Identifier: Apache-2.0
// AdminPort: the port for those who look after a server, on threads of its own: nothing that the
// handlers do holds it up.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "serve/admin.h"

namespace weft::serve {

class AdminPort {
 public:
  // Answers where it is, as people write it. The server outlives it.
  base::Result<std::string> start(const std::string& place, About about,
                                  const RunningServer& watched, MoreMetrics more = {});
  // Whether anybody but this machine reaches it.
  bool is_open_to_others() const noexcept { return is_open_to_others_; }
  void say_draining() noexcept {
    if (site_) site_->say_draining();
  }

 private:
  std::optional<AdminSite> site_;
  std::unique_ptr<RunningServer> server_;
  bool is_open_to_others_ = false;
};

}  // namespace weft::serve
