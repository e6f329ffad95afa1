// SPDX-License-Identifier: Apache-2.0
// Where the demo plays.
#include "scene.h"

namespace weft::demo {

base::Result<Scene> make_scene(const sandbox::Quota& quota) {
  auto pod = sandbox::Cgroup::create(quota);
  if (!pod) return pod.error();
  // The quota is to be what limits us, not whoever else uses this host at the moment.
  if (const auto status = pod->prefer(); !status) return status.error();
  auto container = pod->create_child("container", std::nullopt);
  if (!container) return container.error();
  return Scene{std::move(*pod), std::move(*container)};
}

}  // namespace weft::demo
