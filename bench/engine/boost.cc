// SPDX-License-Identifier: Apache-2.0
// The list of what is measured of Boost.
#include "boost.h"

namespace weft::engine {

Measurements boost_measurements() {
  return {{"switch.boost", measure_boost_switch},
          {"echo_64.boost", measure_boost_echo<64>},
          {"echo_1024.boost", measure_boost_echo<1024>}};
}

}  // namespace weft::engine
