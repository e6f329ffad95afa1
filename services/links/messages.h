// SPDX-License-Identifier: Apache-2.0
// Links as messages of gRPC, and back.
#pragma once

#include <links_protos/links.pb.h>

#include "links.h"

namespace links {

// Failure: invalid, where the expiry is not a number of seconds.
NewLink read(const weft::links::v1::CreateRequest& request);
void write(const Link& link, weft::links::v1::Link& message);

}  // namespace links
