// SPDX-License-Identifier: Apache-2.0
// set*id must reach every kernel thread of the process.
//
// libc does it by a signal to each of its threads, whose handler looks at the thread pointer to
// know which thread it is in. On a carrier that is the fiber's, and libc would wait for ever for
// the carrier's own answer. So its handler is called with the carrier's own thread pointer.
#pragma once

namespace weft::preload {

// Once libc has its handler, which it installs with the first thread.
void watch_credentials() noexcept;

}  // namespace weft::preload
