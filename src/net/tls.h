// SPDX-License-Identifier: Apache-2.0
// TLS for servers, by OpenSSL: what a certificate and its key make, and one connection of it.
//
// TLS 1.2 and 1.3 only, with OpenSSL's own choice of ciphers; clients are told that HTTP/1.1 is
// spoken (ALPN). Contexts are shared and never change: a certificate that is renewed is another
// context, for the connections that begin after it.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"

namespace weft::net {

class TlsContext {
 public:
  // From files in PEM; the certificate's has those of its issuers behind it. The Error says which
  // of them is wrong, and how.
  static base::Result<std::shared_ptr<const TlsContext>> load(const std::string& certificate_path,
                                                              const std::string& key_path);

  SSL_CTX* get() const noexcept { return context_.get(); }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
  };
  std::unique_ptr<SSL_CTX, Free> context_;
};

// What a call that does not block came to.
enum class TlsOutcome : unsigned char { done, wants_read, wants_write, closed, failed };

// The server's side of a connection, over a socket that does not block. Used by one thread at a
// time.
class TlsConnection {
 public:
  TlsConnection(const TlsContext& context, int socket);

  // The first call; again until it is done.
  TlsOutcome handshake() noexcept;
  // `moved` is how much, where it is done.
  TlsOutcome read(void* buffer, std::size_t bytes, std::size_t& moved) noexcept;
  TlsOutcome write(const void* data, std::size_t bytes, std::size_t& moved) noexcept;
  // Says good-bye, once, as far as the socket takes it.
  void shut_down() noexcept;

 private:
  TlsOutcome outcome_of(int result) noexcept;

  struct Free {
    void operator()(SSL* connection) const noexcept { SSL_free(connection); }
  };
  std::unique_ptr<SSL, Free> connection_;
  bool failed_ = false;  // then nothing more may be said
};

}  // namespace weft::net
