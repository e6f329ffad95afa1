// SPDX-License-Identifier: Apache-2.0
// `weft symbols`: what is interposed, and how each call is treated; the library's own table.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "command.h"
#include "exit_code.h"
#include "suggest.h"

namespace weft::tool {
namespace {

struct Row {
  std::string_view name;
  std::string_view family;
  std::string_view treatment;
  std::string_view how;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
#define WEFT_SYMBOL(name, family, treatment, how) {#name, #family, #treatment, how},
#include "preload/symbols.def"
#undef WEFT_SYMBOL
  };
  return table;
}

struct Arguments {
  bool json = false;
  std::string family;
  std::vector<std::string> names;
};

constexpr const char* footer =
    "Treatments:\n"
    "  fiber      waits as a fiber: the worker goes on with another one\n"
    "  poller     tried at once; where it would block, the fiber waits for the poller\n"
    "  home       done on the thread's own kernel thread, while the worker goes on\n"
    "  passed_on  the real call, with book-keeping\n"
    "  answered   weft answers it\n"
    "  books      keeps the poller's books about descriptors\n"
    "\nExit status: 0 everything asked for is interposed; 1 a name is not; 2 no such family.\n";

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Row& row : rows()) {
    if (std::find(names.begin(), names.end(), row.family) == names.end()) {
      names.emplace_back(row.family);
    }
  }
  return names;
}

std::string to_json(const std::vector<Row>& chosen) {
  auto list = nlohmann::ordered_json::array();
  for (const Row& row : chosen) {
    list.push_back({{"name", row.name},
                    {"family", row.family},
                    {"treatment", row.treatment},
                    {"how", row.how}});
  }
  return list.dump(2) + "\n";
}

std::string to_table(const std::vector<Row>& chosen) {
  std::size_t name_width = 0;
  std::size_t family_width = 0;
  std::size_t treatment_width = 0;
  for (const Row& row : chosen) {
    name_width = std::max(name_width, row.name.size());
    family_width = std::max(family_width, row.family.size());
    treatment_width = std::max(treatment_width, row.treatment.size());
  }
  std::string text;
  for (const Row& row : chosen) {
    text += fmt::format("{:{}}  {:{}}  {:{}}  {}\n", row.name, name_width, row.family, family_width,
                        row.treatment, treatment_width, row.how);
  }
  return text;
}

int run(const Arguments& arguments) {
  const auto families = family_names();
  if (!arguments.family.empty() &&
      std::find(families.begin(), families.end(), arguments.family) == families.end()) {
    std::cerr << "weft symbols: there is no family '" << base::printable(arguments.family) << "'."
              << did_you_mean(arguments.family, families)
              << fmt::format(" There are: {}.\n", fmt::join(families, ", "));
    return exit_usage;
  }
  std::vector<Row> chosen;
  for (const Row& row : rows()) {
    if (!arguments.family.empty() && row.family != arguments.family) continue;
    const auto& names = arguments.names;
    if (!names.empty() && std::find(names.begin(), names.end(), row.name) == names.end()) continue;
    chosen.push_back(row);
  }
  std::cout << (arguments.json ? to_json(chosen) : to_table(chosen)) << std::flush;

  int exit_code = exit_done;
  for (const std::string& name : arguments.names) {
    if (std::any_of(chosen.begin(), chosen.end(),
                    [&](const Row& row) { return row.name == name; })) {
      continue;
    }
    std::cerr << "weft symbols: " << base::printable(name) << " is not interposed"
              << (arguments.family.empty() ? "" : " in the family " + arguments.family)
              << ": it does what it does without weft\n";
    exit_code = exit_problem;
  }
  return exit_code;
}

Description describe() {
  const auto arguments = std::make_shared<Arguments>();
  return {
      {
          {.name = "NAME",
           .help = "Only these functions",
           .target = &arguments->names,
           .value_text = "..."},
          {.name = "--json", .help = "Print a JSON array", .target = &arguments->json},
          {.name = "--family",
           .help = "Only these functions: pthread, socket, file, poll, sleep, process and so on",
           .target = &arguments->family,
           .value_text = "NAME"},
      },
      [arguments] { return run(*arguments); },
  };
}

}  // namespace

const Command symbols_command{"symbols", "What is interposed, and how each call is treated", footer,
                              describe};

}  // namespace weft::tool
