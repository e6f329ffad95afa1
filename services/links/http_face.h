// SPDX-License-Identifier: Apache-2.0
// The service over HTTP, as JSON.
#pragma once

#include <weft/service.h>

#include "store.h"

namespace links {

// POST /links, GET /links, GET and DELETE /links/{key}, GET /{key}.
void serve_http(weft::service::Service& service, Store& store);

}  // namespace links
