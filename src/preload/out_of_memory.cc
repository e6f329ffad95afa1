// SPDX-License-Identifier: Apache-2.0
// Where there is no memory for us, the process ends with a line that says so.
//
// The hooks have no way to tell: most of the calls that they stand for cannot fail that way, and an
// exception would end the process anyhow, with a text of the C++ library's. The handler is that of
// our own copy of it; the program's is another.
#include <new>

#include "os/check.h"

namespace weft::preload {
namespace {

__attribute__((constructor)) void say_when_there_is_none() {
  std::set_new_handler(
      [] { os::fail_check("weft: no memory left; raise the limit, or add some"); });
}

}  // namespace
}  // namespace weft::preload
