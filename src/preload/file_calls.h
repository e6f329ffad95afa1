// SPDX-License-Identifier: Apache-2.0
// The way of a write to a file, which may be beyond what the process is allowed.
#pragma once

#include <cerrno>
#include <utility>

#include "preload/calls.h"

namespace weft::preload {

// Where the file would become too big the kernel sends SIGXFSZ to the thread that makes the call,
// which must be home: `result` is that of the call as a fiber makes it.
template <class Libcs>
auto unless_too_big(decltype(std::declval<Libcs>()()) result, Libcs libcs) -> decltype(libcs()) {
  if (result >= 0 || errno != EFBIG || !is_fiber()) return result;
  if (!fiber::self().is_home()) return home_call("EFBIG", libcs);
  // It was made at home, in place of a worker, where the signal waits to be let in.
  uncancelled_home_call("EFBIG", [] {});
  errno = EFBIG;
  return result;
}

}  // namespace weft::preload
