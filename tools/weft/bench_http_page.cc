// SPDX-License-Identifier: Apache-2.0
// Tables, pictures and commands, one below the other.
#include "bench_http_page.h"

#include <algorithm>

#include "bench/row.h"
#include "bench_http_plots.h"
#include "load/plot_panel.h"

namespace weft::tool {
namespace {

using load::escaped;

constexpr const char* style = R"(<style>
:root { color-scheme: light dark; --ink: #1c2024; --soft: #57606a; --rule: #d8dee4; --page: #ffffff;
  --good: #1a7f37; --bad: #cf222e; --shade: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9da7b1; --rule: #2b323b; --page: #0d1117; --good: #6bc46d;
    --bad: #ff8182; --shade: #161b22; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  max-width: 76rem; margin: 0 auto; padding: 1rem; }
h1, h2, h3 { line-height: 1.25; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.6rem; border-bottom: 1px solid var(--rule); text-align: right;
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
td.text { text-align: left; white-space: normal; }
.holds { color: var(--good); font-weight: 600; }
.missed { color: var(--bad); font-weight: 600; }
pre { background: var(--shade); padding: 0.75rem; overflow-x: auto; font-size: 0.8125rem; }
svg { width: 100%; height: auto; }
.legend span { white-space: nowrap; margin-right: 1rem; color: var(--soft); font-size: 0.875rem; }
svg.key { width: 24px; height: 8px; vertical-align: middle; }
.title { font: 600 15px system-ui, sans-serif; fill: var(--ink); }
.tick { font: 12px system-ui, sans-serif; fill: var(--soft); }
.grid { stroke: var(--rule); stroke-width: 1; fill: none; }
[class^="line"] { fill: none; stroke-width: 2; stroke-linejoin: round; }
.line0 { stroke: #57606a; } .line1 { stroke: #bf8700; } .line2 { stroke: #8250df; }
.line3 { stroke: #0969da; stroke-width: 3.5; } .line4 { stroke: #1a7f37; } .line5 { stroke: #0f8a8a; }
.line6 { stroke: #cf222e; } .line7 { stroke: #bc4c00; } .line8 { stroke: #d4599f; }
.line9 { stroke: #6e9f2e; } .line10 { stroke: #3d8bcd; stroke-dasharray: 6 3; }
.line11 { stroke: #a475f9; stroke-dasharray: 6 3; }
</style>
)";

std::string paragraph(const std::string& text) {
  return "<p>" + escaped(text) + "</p>\n";
}

std::string cell(const std::string& text, const char* kind = "td") {
  return std::string("<") + kind + ">" + escaped(text) + "</" + kind + ">";
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::string text = "<div class=\"wide\"><table>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += "<tr>";
    for (const std::string& word : rows[i]) text += cell(word, i == 0 ? "th" : "td");
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string ratio_text(const bench::Row& row) {
  if (!row.ratio) return "";
  return bench::to_text(row.ratio->median, "") + " (" + bench::to_text(row.ratio->low, "") +
         " to " + bench::to_text(row.ratio->high, "") + ")";
}

std::string bars(const bench::Report& report) {
  std::string text =
      "<div class=\"wide\"><table>\n<tr><th>what</th><th>ours</th><th>beside</th><th>theirs</th>"
      "<th>ratio (95 %)</th><th>rounds</th><th>bar</th><th>holds</th></tr>\n";
  for (const bench::Row& row : report.rows) {
    text += "<tr>" + cell(row.name) + cell(bench::to_text(row.ours, row.unit)) +
            cell(row.rival_name) + cell(row.rival ? bench::to_text(*row.rival, row.unit) : "") +
            cell(ratio_text(row)) + cell(std::to_string(row.samples)) +
            cell(row.bar ? bench::to_text(*row.bar, row.unit) : "");
    if (!row.holds) {
      text += "<td></td>";
    } else {
      text += *row.holds ? "<td class=\"holds\">yes</td>" : "<td class=\"missed\">NO</td>";
    }
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string pairs(const std::vector<std::pair<std::string, std::string>>& list) {
  std::string text = "<div class=\"wide\"><table>\n";
  for (const auto& [name, value] : list) {
    text += "<tr>" + cell(name) + "<td class=\"text\">" + escaped(value) + "</td></tr>\n";
  }
  return text + "</table></div>\n";
}

std::string code(const std::string& text) {
  return "<pre>" + escaped(text) + "</pre>\n";
}

std::string scale_plots(const std::vector<HttpSamples>& all) {
  std::vector<std::string> titles;
  for (const HttpSamples& samples : all) {
    if (samples.cell.suite != "scale") continue;
    const std::string title = samples.cell.name.substr(0, samples.cell.name.rfind(','));
    if (std::find(titles.begin(), titles.end(), title) == titles.end()) titles.push_back(title);
  }
  std::string text;
  for (const std::string& title : titles) text += plot_scale(all, title);
  return text;
}

std::string suite_of(const std::vector<HttpSamples>& all, const std::string& suite,
                     const HttpPageFacts& facts) {
  std::string text = "<h2>" + escaped(suite) + "</h2>\n";
  if (suite == "scale") text += scale_plots(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].cell.suite != suite) continue;
    text += "<h3>" + escaped(all[i].cell.name) + "</h3>\n" + table(table_of(all[i]));
    text += plot_traces(all[i]);
    if (i < facts.load_commands.size()) {
      text += "<details><summary>how it was loaded</summary>" + code(facts.load_commands[i]) +
              "</details>\n";
    }
  }
  return text;
}

}  // namespace

std::string http_page(const bench::Report& report, const std::vector<HttpSamples>& all,
                      const HttpPageFacts& facts) {
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>weft bench http</title>\n" +
      std::string(style) + "</head>\n<body>\n<h1>weft bench http</h1>\n";
  text += paragraph(facts.date) + "<p>To run it again:</p>\n" + code(facts.command);
  text += "<h2>Bars and ratios</h2>\n";
  text += paragraph(
      "Ratios are taken within a round; medians over the rounds, with bootstrap intervals of 95 %. "
      "Runs whose generator was late or short of CPU are void: tried once more, then left out.");
  text += bars(report);
  if (!report.notes.empty()) {
    text += "<h2>Notes</h2>\n<ul>\n";
    for (const std::string& note : report.notes) text += "<li>" + escaped(note) + "</li>\n";
    text += "</ul>\n";
  }
  std::vector<std::string> suites;
  for (const HttpSamples& samples : all) {
    const std::string& suite = samples.cell.suite;
    if (std::find(suites.begin(), suites.end(), suite) != suites.end()) continue;
    suites.push_back(suite);
    text += suite_of(all, suite, facts);
  }
  text += "<h2>Machine and programs</h2>\n" + pairs(facts.machine) + pairs(facts.versions);
  text += "<h2>Settings of the peers</h2>\n";
  for (const auto& [name, settings] : facts.settings) {
    text += "<details><summary>" + escaped(name) + "</summary>" + code(settings) + "</details>\n";
  }
  return text + "</body>\n</html>\n";
}

}  // namespace weft::tool
