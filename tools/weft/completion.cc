// SPDX-License-Identifier: Apache-2.0
// `weft completion`: the completion script, made from the options themselves.
#include "completion.h"

namespace weft::tool {

std::string bash_completion(const std::vector<CommandWords>& commands) {
  std::string names;
  std::string cases;
  std::string programs;
  for (const CommandWords& command : commands) {
    names += command.name + " ";
    std::string words;
    for (const std::string& option : command.options) words += option + " ";
    if (command.name == "bench") words += "$(weft bench 2>/dev/null | cut -d' ' -f1)";
    if (command.name == "symbols") words += "$(weft symbols 2>/dev/null | cut -d' ' -f1)";
    // Behind such a command, what is no option is a program or one of its files.
    if (command.takes_program) {
      programs += "      " + command.name + ":-*) ;;\n      " + command.name +
                  ":*) COMPREPLY=($(compgen -c -f -- \"$word\")); return ;;\n";
    }
    if (command.name != "help") cases += "      " + command.name + ") words=\"" + words + "\" ;;\n";
  }
  return "# bash completion for weft; made by 'weft completion'\n"
         "_weft() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} words\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    words='" +
         names +
         "--help --version'\n"
         "  else\n"
         "    case ${COMP_WORDS[1]}:$word in\n" +
         programs +
         "    esac\n"
         "    case ${COMP_WORDS[1]} in\n" +
         cases + "      help) words='" + names +
         "' ;;\n"
         "    esac\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -F _weft weft\n";
}

}  // namespace weft::tool
