// SPDX-License-Identifier: Apache-2.0
// Exit codes, the same for every command; what was wrong is on standard error.
#pragma once

namespace weft::tool {

inline constexpr int exit_done = 0;
inline constexpr int exit_problem = 1;  // it ran, but something is not as it should be
inline constexpr int exit_usage = 2;    // it could not run as asked: a bad option, a bad value

}  // namespace weft::tool
