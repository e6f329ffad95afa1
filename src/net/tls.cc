// SPDX-License-Identifier: Apache-2.0
// OpenSSL, asked to do the usual.
#include "net/tls.h"

#include <openssl/err.h>

#include <cstring>
#include <new>
#include <string_view>
#include <system_error>

#include "net/openssl.h"

namespace weft::net {
namespace {

// What the system said, or else what OpenSSL has noted last, which is what matters; and forgets the
// rest.
std::string noted() {
  const unsigned long first = ERR_peek_error();
  if (ERR_SYSTEM_ERROR(first)) {
    ERR_clear_error();
    return std::system_category().message(ERR_GET_REASON(first));
  }
  const unsigned long error = ERR_peek_last_error();
  const char* const reason = error == 0 ? nullptr : ERR_reason_error_string(error);
  ERR_clear_error();
  return reason == nullptr ? "no reason given" : reason;
}

base::Error wrong(const std::string& what, const std::string& path, const char* advice) {
  return {"cannot use " + what + " " + path + ": " + noted() + "; " + advice};
}

// Of ALPN: our one protocol, if the client offers it; otherwise the client may do without.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_bytes,
                    const unsigned char* offered, unsigned offered_bytes, void*) {
  static constexpr unsigned char ours[] = "\x08http/1.1";
  unsigned char* found = nullptr;
  const int result =
      SSL_select_next_proto(&found, chosen_bytes, ours, sizeof(ours) - 1, offered, offered_bytes);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

base::Result<std::shared_ptr<const TlsContext>> TlsContext::load(
    const std::string& certificate_path, const std::string& key_path) {
  begin_openssl();
  ERR_clear_error();
  auto made = std::make_shared<TlsContext>();
  made->context_.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* const context = made->get();
  if (context == nullptr) throw std::bad_alloc();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Buffers go back while a connection is idle; a write may be tried again from another place.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  if (SSL_CTX_use_certificate_chain_file(context, certificate_path.c_str()) != 1) {
    return wrong("the certificate", certificate_path, "it must be readable, in PEM");
  }
  if (SSL_CTX_use_PrivateKey_file(context, key_path.c_str(), SSL_FILETYPE_PEM) != 1) {
    return wrong("the key", key_path,
                 "it must be readable, in PEM, without a password, and that of the certificate");
  }
  return std::shared_ptr<const TlsContext>(std::move(made));
}

TlsConnection::TlsConnection(const TlsContext& context, int socket)
    : connection_(SSL_new(context.get())) {
  if (connection_ == nullptr || SSL_set_fd(connection_.get(), socket) != 1) throw std::bad_alloc();
  SSL_set_accept_state(connection_.get());
}

TlsOutcome TlsConnection::outcome_of(int result) noexcept {
  if (result > 0) return TlsOutcome::done;
  switch (SSL_get_error(connection_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return TlsOutcome::wants_read;
    case SSL_ERROR_WANT_WRITE:
      return TlsOutcome::wants_write;
    case SSL_ERROR_ZERO_RETURN:
      return TlsOutcome::closed;
    default:
      ERR_clear_error();
      failed_ = true;
      return TlsOutcome::failed;
  }
}

TlsOutcome TlsConnection::handshake() noexcept {
  ERR_clear_error();
  return outcome_of(SSL_do_handshake(connection_.get()));
}

TlsOutcome TlsConnection::read(void* buffer, std::size_t bytes, std::size_t& moved) noexcept {
  ERR_clear_error();
  return outcome_of(SSL_read_ex(connection_.get(), buffer, bytes, &moved));
}

TlsOutcome TlsConnection::write(const void* data, std::size_t bytes, std::size_t& moved) noexcept {
  ERR_clear_error();
  return outcome_of(SSL_write_ex(connection_.get(), data, bytes, &moved));
}

void TlsConnection::shut_down() noexcept {
  if (failed_ || SSL_in_init(connection_.get()) != 0) return;
  ERR_clear_error();
  SSL_shutdown(connection_.get());
}

}  // namespace weft::net
