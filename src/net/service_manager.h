// SPDX-License-Identifier: Apache-2.0
// What passes between a service and who manages it, by systemd's protocols: sockets that are handed
// over, and words about how it goes. Without a manager nothing happens.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/file.h"

namespace weft::net {

// The sockets that were opened for us (LISTEN_FDS), none where there are none. Takes them, and the
// variables, out of the environment: programs that we start are not to believe that they are
// theirs. Call once, before there are threads.
base::Result<std::vector<os::Descriptor>> take_inherited_sockets();

// Tells the manager (NOTIFY_SOCKET): "READY=1", "STOPPING=1", "RELOADING=1", "STATUS=…", lines.
// Answers whether somebody was told.
bool notify_manager(std::string_view lines) noexcept;

}  // namespace weft::net
