// SPDX-License-Identifier: Apache-2.0
// From what was read of the kernel to what is decided by.
#pragma once

#include <weft/pressure.h>

#include "admission/pressure_control.h"

namespace weft::admission {

// Of our cgroup where it tells, else of the system. Throttling is that of the level that was
// throttled most between the two readings; of a level whose counters went back nothing is known.
PressureSample pressure_sample(const budget::Pressure& now, const budget::Pressure& before);

}  // namespace weft::admission
