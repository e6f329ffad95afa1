// SPDX-License-Identifier: Apache-2.0
// Where the preload library is.
#pragma once

#include <string>

#include "base/result.h"

namespace weft::tool {

// WEFT_LIBRARY where it is set; otherwise beside this program, in the build tree or as installed.
// An Error says where it was looked for and what to do.
base::Result<std::string> find_preload_library();

// The same beside a program at this path.
base::Result<std::string> find_preload_library(const std::string& program, const char* override);

}  // namespace weft::tool
