// SPDX-License-Identifier: Apache-2.0
// The one option that must be the first.
#include "net/openssl.h"

#include <openssl/crypto.h>

namespace weft::net {

void begin_openssl() noexcept {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
}

}  // namespace weft::net
