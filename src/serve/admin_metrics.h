// SPDX-License-Identifier: Apache-2.0
// The text of /metrics.
#pragma once

#include <string>

#include "serve/about.h"
#include "serve/history.h"
#include "serve/running_server.h"

namespace weft::serve {

std::string metrics_text(const About& about, const RunningServer& server, const Look& look,
                         const Descriptors& descriptors);

}  // namespace weft::serve
