// SPDX-License-Identifier: Apache-2.0
// Where the demo plays: in a cgroup below one with a quota, as a container in a pod is.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "sandbox/cgroup.h"

namespace weft::demo {

// The quota is on the group at the top; the one that the service runs in names no limit, so that
// whoever reads only that one misses it. Goes from the bottom.
struct Scene {
  sandbox::Cgroup pod;
  sandbox::Cgroup container;
};

// The Error says why none can be made here and what would allow it.
base::Result<Scene> make_scene(const sandbox::Quota& quota);

}  // namespace weft::demo
