// SPDX-License-Identifier: Apache-2.0
// The files of the dashboard, as the build put them into the program; see dashboard/.
#pragma once

#include <span>
#include <string_view>

namespace weft::serve {

struct DashboardFile {
  std::string_view path;
  std::string_view type;
  std::string_view content;
};

// They live as long as the program.
std::span<const DashboardFile> dashboard_files() noexcept;

}  // namespace weft::serve
