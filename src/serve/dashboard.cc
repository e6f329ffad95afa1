// SPDX-License-Identifier: Apache-2.0
// Which file is found where.
#include "serve/dashboard.h"

#include <array>

namespace weft::serve {

namespace embedded {
extern const std::string_view index_html, style_css, script_js, catalogue_js, plot_js, scale_js,
    units_js, verdict_js, icon_svg;
}  // namespace embedded

std::span<const DashboardFile> dashboard_files() noexcept {
  constexpr std::string_view script = "text/javascript; charset=utf-8";
  static const std::array<DashboardFile, 9> files = {{
      {"/", "text/html; charset=utf-8", embedded::index_html},
      {"/style.css", "text/css; charset=utf-8", embedded::style_css},
      {"/script.js", script, embedded::script_js},
      {"/catalogue.js", script, embedded::catalogue_js},
      {"/plot.js", script, embedded::plot_js},
      {"/scale.js", script, embedded::scale_js},
      {"/units.js", script, embedded::units_js},
      {"/verdict.js", script, embedded::verdict_js},
      {"/icon.svg", "image/svg+xml", embedded::icon_svg},
  }};
  return files;
}

}  // namespace weft::serve
