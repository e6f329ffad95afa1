// SPDX-License-Identifier: Apache-2.0
// `weft completion bash`: the completion script, made from the options themselves.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>

namespace weft::tool {

// Adds the command; it describes `app` as it is when the command runs.
void add_completion_command(CLI::App& app, std::function<int()>& action);

// The script for bash.
std::string bash_completion(const CLI::App& app);

}  // namespace weft::tool
