// SPDX-License-Identifier: Apache-2.0
// What the command line and the environment say of a service.
#pragma once

#include <weft/log.h>
#include <weft/service.h>

#include <optional>

namespace weft::service {

struct Settings {
  Options options;
  LogFormat log_format = LogFormat::text;
};

// None: help was asked for, or something is wrong and was said; `exit_code` is to be answered.
std::optional<Settings> read_command_line(int count, const char* const* words, Options defaults,
                                          int& exit_code);

}  // namespace weft::service
