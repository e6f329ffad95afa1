// SPDX-License-Identifier: Apache-2.0
// Whether memory that the program names can be read: the kernel says EFAULT where we would fault.
#pragma once

namespace weft::preload {

// Asks the kernel the first time for each page, and not again for the few that were asked for last.
bool is_readable(const void* address) noexcept __attribute__((access(none, 1)));

}  // namespace weft::preload
