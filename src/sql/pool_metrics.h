// SPDX-License-Identifier: Apache-2.0
// PoolMetrics: how long leases were waited for.
#pragma once

#include "measure/histogram.h"

namespace weft::sql {

struct PoolMetrics {
  // Of every lease that was asked for, also of those that gave up.
  measure::Histogram waited;
};

}  // namespace weft::sql
