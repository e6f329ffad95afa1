// SPDX-License-Identifier: Apache-2.0
// `weft doctor`: can weft run here, and can it run this program: what is slower, what is not
// covered.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "command.h"
#include "doctor_program.h"
#include "exit_code.h"
#include "inspect/machine.h"
#include "run_library.h"

namespace weft::tool {
namespace {

using inspect::Finding;
using inspect::Verdict;
using Json = nlohmann::ordered_json;

struct Arguments {
  bool json = false;
  std::vector<std::string> program;
};

constexpr const char* footer =
    "Examples:\n"
    "  weft doctor                 this machine\n"
    "  weft doctor -- mariadbd     and this program, which is looked at and not run\n"
    "\nEach line is ok; or slower, where it works by a slower way; or no, where it cannot work. "
    "An\n"
    "arrow says what to do.\n"
    "\nExit status: 0 weft can run here; 1 it cannot; 2 an option makes no sense.\n";

struct Examination {
  std::vector<Finding> machine;
  std::optional<ProgramExamination> program;

  Verdict worst() const {
    Verdict verdict = Verdict::ok;
    for (const Finding& finding : machine) verdict = std::max(verdict, finding.verdict);
    if (!program) return verdict;
    for (const Finding& finding : program->findings) verdict = std::max(verdict, finding.verdict);
    return verdict;
  }
};

Finding judge_preload_library() {
  const auto library = find_preload_library();
  if (library) return {"library", Verdict::ok, *library};
  return {"library", Verdict::no, library.error().message};
}

Examination examine(const Arguments& arguments) {
  Examination examination;
  examination.machine = inspect::judge(inspect::read_machine());
  examination.machine.push_back(judge_preload_library());
  if (!arguments.program.empty()) examination.program = examine_program(arguments.program);
  return examination;
}

Json to_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"subject", finding.subject},
                    {"verdict", to_string(finding.verdict)},
                    {"what", finding.what},
                    {"advice", finding.advice}});
  }
  return list;
}

std::string to_json(const Examination& examination) {
  Json all = {{"verdict", to_string(examination.worst())},
              {"machine", to_json(examination.machine)},
              {"program", nullptr}};
  if (examination.program) {
    all["program"] = {{"path", examination.program->path},
                      {"binary", examination.program->binary},
                      {"findings", to_json(examination.program->findings)}};
  }
  // Paths may hold any bytes.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

constexpr std::size_t page_columns = 100;

// The words in lines of the page's width, the first at `column` and the others below it. A word
// that is longer than a line has one of its own.
std::string wrapped(std::string_view text, std::size_t column) {
  std::string lines;
  std::size_t used = column;
  for (auto word = base::take_field(text); !word.empty(); word = base::take_field(text)) {
    if (used > column && used + 1 + word.size() > page_columns) {
      lines.append("\n").append(column, ' ');
      used = column;
    } else if (used > column) {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += word.size();
  }
  return lines + "\n";
}

std::string to_lines(const std::vector<Finding>& findings) {
  std::size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.subject.size());
  const std::size_t column = width + 12;
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("  {:<6}  {:<{}}  ", to_string(finding.verdict), finding.subject, width);
    text += wrapped(base::printable(finding.what, 1'000), column);
    if (finding.advice.empty()) continue;
    text.append(column, ' ').append("-> ");
    text += wrapped(base::printable(finding.advice, 1'000), column + 3);
  }
  return text;
}

std::string conclusion(const Examination& examination) {
  const std::string what = examination.program ? "run it here" : "run here";
  switch (examination.worst()) {
    case Verdict::ok:
      return "weft can " + what + ".\n";
    case Verdict::slower:
      return "weft can " + what + "; what is marked slower goes by a slower way.\n";
    case Verdict::no:
      return "weft cannot " + what + ": see what is marked no.\n";
  }
  return {};
}

std::string to_page(const Examination& examination) {
  std::string text = "This machine\n" + to_lines(examination.machine);
  if (examination.program) {
    text += "\nThe program\n" + to_lines(examination.program->findings);
  }
  return text + "\n" + conclusion(examination);
}

int run(const Arguments& arguments) {
  const Examination examination = examine(arguments);
  std::cout << (arguments.json ? to_json(examination) : to_page(examination));
  return examination.worst() == Verdict::no ? exit_problem : exit_done;
}

Description describe() {
  const auto arguments = std::make_shared<Arguments>();
  return {
      {{.name = "--json", .help = "Print one JSON object", .target = &arguments->json}},
      [arguments] { return run(*arguments); },
      &arguments->program,
  };
}

}  // namespace

const Command doctor_command{"doctor", "Can weft run here, and can it run this program", footer,
                             describe};

}  // namespace weft::tool
