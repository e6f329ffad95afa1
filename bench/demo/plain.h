// SPDX-License-Identifier: Apache-2.0
// One run of the plain server.
#pragma once

#include "base/result.h"
#include "settings.h"

namespace weft::demo {

// Starts a fresh server on its CPU, loads it from the calling thread, and stops it.
base::Result<Trial> measure_plain(const Settings& settings, Side side);

}  // namespace weft::demo
