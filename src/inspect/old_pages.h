// SPDX-License-Identifier: Apache-2.0
// Pages of statistics (sched/statistics.h) whose processes were killed, and could not take them
// away.
#pragma once

#include <filesystem>

namespace weft::inspect {

// Removes from the folder what processes that are gone have left there, as far as we may.
void remove_pages_of_the_gone(const std::filesystem::path& folder) noexcept;

}  // namespace weft::inspect
