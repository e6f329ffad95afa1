// SPDX-License-Identifier: Apache-2.0
// The weft program: finds the command, parses its options, runs it.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cerrno>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "command.h"
#include "completion.h"
#include "suggest.h"
#include "version.h"

namespace weft::tool {

const std::vector<const Command*>& commands() {
  static const std::vector<const Command*> all{&budget_command, &bench_command};
  return all;
}

namespace {

constexpr const char* description =
    "weft runs your threads on the CPUs you actually own.\n"
    "See 'weft help COMMAND' for one command, and man weft for all of it.";

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// A parse error in our own words: what, what was perhaps meant, and where to read on.
int report(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& at = chosen.empty() ? app : *chosen.front();
  const std::string name = chosen.empty() ? "weft" : "weft " + at.get_name();
  std::string text = error.what();
  if (const auto extras = at.remaining(true); !extras.empty()) {
    const std::string& word = extras.front();
    const bool is_option = word.starts_with("-");
    text = (is_option ? "unknown option '" : "unexpected argument '") + word + "'." +
           did_you_mean(word.substr(0, word.find('=')), option_names(at));
  }
  std::cerr << name << ": " << text << " See '"
            << (chosen.empty() ? "weft --help" : "weft help " + at.get_name()) << "'.\n";
  return exit_usage;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

int unknown_command(const std::string& word) {
  std::vector<std::string> names{"help", "completion"};
  for (const Command* command : commands()) names.emplace_back(command->name);
  std::cerr << "weft: unknown command '" << word << "'." << did_you_mean(word, names)
            << " See 'weft --help'.\n";
  return exit_usage;
}

int run(int argc, char** argv) {
  CLI::App app(description, "weft");
  app.set_version_flag("--version", std::string("weft ") + version_text);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->column_width(26);
  app.require_subcommand(0, 1);  // else 'weft help budget' would be two commands
  std::function<int()> action;
  for (const Command* command : commands()) {
    CLI::App* const sub = app.add_subcommand(command->name, command->summary)->group("Commands");
    command->configure(*sub, action);
  }
  std::string topic;
  std::string main_help;
  CLI::App* const help = app.add_subcommand("help", "Explain a command")->group("Commands");
  help->add_option("COMMAND", topic, "The command to explain");
  help->callback([&] {
    action = [&] {
      const CLI::App* const sub = topic.empty() ? nullptr : find_command(app, topic);
      if (!topic.empty() && sub == nullptr) return unknown_command(topic);
      std::cout << (sub != nullptr ? sub->help("weft") : main_help);
      return exit_done;
    };
  });
  add_completion_command(app, action);
  // Taken before parsing: afterwards CLI11 would print the help of the command that was given.
  main_help = app.help();

  if (argc > 1 && argv[1][0] != '-' && find_command(app, argv[1]) == nullptr) {
    return unknown_command(argv[1]);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help and --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(app, error);
  }
  if (!action) {
    std::cout << main_help;
    return exit_done;
  }
  const int exit_code = action();
  errno = 0;
  if (!std::cout.flush()) {
    std::cerr << "weft: cannot write to standard output"
              << (errno != 0 ? std::string(": ") + std::strerror(errno) : "") << '\n';
    return exit_problem;
  }
  return exit_code;
}

}  // namespace
}  // namespace weft::tool

int main(int argc, char** argv) {
  try {
    return weft::tool::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "weft: " << error.what() << '\n';
    return weft::tool::exit_problem;
  }
}
