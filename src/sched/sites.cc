// SPDX-License-Identifier: Apache-2.0
// The process-wide table of trips home.
#include "sched/sites.h"

namespace weft::sched {

Sites& trips_home() noexcept {
  static constinit Sites sites;
  return sites;
}

}  // namespace weft::sched
