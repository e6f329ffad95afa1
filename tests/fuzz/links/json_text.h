// SPDX-License-Identifier: Apache-2.0
// Bodies of creations: JSON by a small grammar, with members that are missing, wrong, or there
// twice.
#pragma once

#include <string>

#include "links/choices.h"

namespace weft::fuzz {

std::string json_body(Choices& choices);

}  // namespace weft::fuzz
