// SPDX-License-Identifier: Apache-2.0
// In place of what is measured of Boost, where it is not installed.
#include "measurement.h"

namespace weft::engine {

Measurements boost_measurements() {
  return {};
}

}  // namespace weft::engine
