// SPDX-License-Identifier: Apache-2.0
// OpenSSL, begun the way all of weft uses it.
#pragma once

namespace weft::net {

// Before anything else of OpenSSL is called; again is nothing. OpenSSL then does not clean up when
// the process ends: threads that nobody waits for may still use it, or be giving back what it has
// of theirs.
void begin_openssl() noexcept;

}  // namespace weft::net
