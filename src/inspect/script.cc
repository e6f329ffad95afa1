// SPDX-License-Identifier: Apache-2.0
// The first line of a script.
#include "inspect/script.h"

#include <algorithm>

#include "base/text.h"

namespace weft::inspect {
namespace {

constexpr std::string_view blanks = " \t";

std::string_view trim_blanks(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_env(std::string_view interpreter) noexcept {
  const auto slash = interpreter.rfind('/');
  return interpreter.substr(slash == std::string_view::npos ? 0 : slash + 1) == "env";
}

base::Error not_in_its_place(std::string_view what) {
  return {"its first line asks env for " + base::printable(what) +
          ", which weft cannot do in its place; name the interpreter on the command line: weft run "
          "-- INTERPRETER SCRIPT"};
}

}  // namespace

std::optional<Shebang> parse_shebang(std::string_view text) {
  if (!text.starts_with("#!")) return std::nullopt;
  text.remove_prefix(2);
  std::string_view line = trim_blanks(base::take_until(text, '\n'));
  const auto end = line.find_first_of(blanks);
  Shebang shebang{std::string(line.substr(0, end)), std::nullopt};
  if (shebang.interpreter.empty()) return std::nullopt;
  if (end != std::string_view::npos) shebang.argument = trim_blanks(line.substr(end));
  return shebang;
}

bool is_text(std::string_view start) noexcept {
  const std::string_view line = start.substr(0, start.find('\n'));
  return line.find('\0') == std::string_view::npos;
}

std::optional<base::Result<EnvCall>> parse_env_call(const Shebang& shebang) {
  if (!is_env(shebang.interpreter)) return std::nullopt;
  if (!shebang.argument) return not_in_its_place("no program");
  EnvCall call;
  std::string_view rest = *shebang.argument;
  // Without -S everything is one word, and env looks for a program of that name.
  if (!rest.starts_with("-")) {
    call.words.emplace_back(rest);
    return call;
  }
  if (rest.starts_with("-S")) {
    rest.remove_prefix(2);
  } else if (rest.starts_with("--split-string=")) {
    rest.remove_prefix(rest.find('=') + 1);
  } else {
    return not_in_its_place(rest);
  }
  // env's own quoting and escapes are rare in a first line; what has them is not guessed at.
  if (rest.find_first_of("\"'\\$#") != std::string_view::npos) return not_in_its_place(rest);
  for (auto word = base::take_field(rest); !word.empty(); word = base::take_field(rest)) {
    const auto equals = word.find('=');
    if (call.words.empty() && word.starts_with("-")) return not_in_its_place(word);
    if (call.words.empty() && equals != std::string_view::npos) {
      call.assignments.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    } else {
      call.words.emplace_back(word);
    }
  }
  if (call.words.empty()) return not_in_its_place("no program");
  return call;
}

}  // namespace weft::inspect
