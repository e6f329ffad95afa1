// SPDX-License-Identifier: Apache-2.0
// `weft completion bash`: the completion script, made from the options themselves.
#include "completion.h"

#include <iostream>
#include <memory>
#include <vector>

#include "command.h"

namespace weft::tool {
namespace {

std::string words_of(const CLI::App& app) {
  std::string words;
  for (const CLI::App* sub : app.get_subcommands({})) words += " " + sub->get_name();
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words += " --" + name;
  }
  return words.empty() ? words : words.substr(1);
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string script =
      "# bash completion for weft; made by 'weft completion bash'\n"
      "_weft() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} words\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    words='" +
      words_of(app) +
      "'\n"
      "  else\n"
      "    case ${COMP_WORDS[1]} in\n";
  std::string names;
  for (const CLI::App* sub : app.get_subcommands({})) {
    names += (names.empty() ? "" : " ") + sub->get_name();
    std::string words = words_of(*sub);
    if (sub->get_name() == "bench") words += " $(weft bench 2>/dev/null | cut -d' ' -f1)";
    if (sub->get_name() == "completion") words += " bash";
    if (sub->get_name() != "help") {
      script += "      " + sub->get_name() + ") words=\"" + words + "\" ;;\n";
    }
  }
  script += "      help) words='" + names +
            "' ;;\n"
            "    esac\n"
            "  fi\n"
            "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
            "}\n"
            "complete -F _weft weft\n";
  return script;
}

void add_completion_command(CLI::App& app, std::function<int()>& action) {
  CLI::App* const completion =
      app.add_subcommand("completion", "Print a completion script for a shell")->group("Commands");
  const auto shell = std::make_shared<std::string>("bash");
  completion->add_option("SHELL", *shell, "The shell; bash is the one there is")
      ->check(CLI::IsMember({"bash"}));
  completion->callback([&app, &action, shell] {
    action = [&app, shell] {
      std::cout << bash_completion(app);
      return exit_done;
    };
  });
}

}  // namespace weft::tool
