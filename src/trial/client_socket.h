// SPDX-License-Identifier: Apache-2.0
// A connection to a server that listens on a Unix socket.
#pragma once

#include <string>

#include "base/result.h"
#include "os/file.h"

namespace weft::trial {

base::Result<os::Descriptor> connect_to(const std::string& path);

}  // namespace weft::trial
