// SPDX-License-Identifier: Apache-2.0
// How a group goes: what runs in it is killed, and the directory is removed, within bounded time.
#pragma once

#include <chrono>
#include <string>

namespace weft::sandbox {

inline constexpr std::chrono::milliseconds removal_timeout{2'000};

// Removes the group and the groups below it. What still runs in them is killed; only the calling
// process is moved to `origin` instead. false: something would not go within the timeout.
bool remove_group(const std::string& directory, const std::string& origin,
                  std::chrono::milliseconds timeout = removal_timeout);

// Removes the groups "weft-PID-..." in `parent` whose process PID is dead.
void remove_stale_groups(const std::string& parent, const std::string& origin);

// Whether any group "weft-..." is in `parent`.
bool has_groups(const std::string& parent);

}  // namespace weft::sandbox
