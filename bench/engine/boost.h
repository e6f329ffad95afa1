// SPDX-License-Identifier: Apache-2.0
// What is measured of Boost.
#pragma once

#include "measurement.h"

namespace weft::engine {

Numbers measure_boost_switch(const Scale& scale);
template <unsigned connections>
Numbers measure_boost_echo(const Scale& scale);

}  // namespace weft::engine
