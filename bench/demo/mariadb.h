// SPDX-License-Identifier: Apache-2.0
// MariaDB as it was installed, with data of its own in the demo's directory, and sysbench for it.
#pragma once

#include "base/result.h"
#include "settings.h"
#include "trial/mariadb.h"

namespace weft::demo {

// Makes the data of both sides.
base::Status prepare_mariadb(const Settings& settings, const trial::MariadbPrograms& programs);

base::Result<trial::MariadbServer> start_mariadb(const Settings& settings,
                                                 const trial::MariadbPrograms& programs, Side side);

// sysbench's point-select on it.
base::Result<Trial> measure_mariadb(const Settings& settings,
                                    const trial::MariadbPrograms& programs,
                                    const trial::MariadbServer& server);

}  // namespace weft::demo
