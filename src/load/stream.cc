// SPDX-License-Identifier: Apache-2.0
// Sockets and OpenSSL.
#include "load/stream.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "net/openssl.h"
#include "net/socket_call.h"

namespace weft::load {
namespace {

Stream::State state_of(int error) {
  switch (error) {
    case EAGAIN:
    case EINPROGRESS:
    case EINTR:
      return Stream::State::pending;
    case ECONNREFUSED:
      return Stream::State::refused;
    case ECONNRESET:
    case EPIPE:
      return Stream::State::reset;
    default:
      return Stream::State::failed;
  }
}

int length_of(std::size_t bytes) {
  return static_cast<int>(std::min<std::size_t>(bytes, INT_MAX));
}

bool is_address(const std::string& host) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

std::string last_tls_error() {
  char text[256];
  ERR_error_string_n(ERR_get_error(), text, sizeof(text));
  return text;
}

}  // namespace

base::Result<TlsContext> TlsContext::make(bool trusts_anybody,
                                          const std::string& authorities_file) {
  net::begin_openssl();
  TlsContext tls;
  tls.trusts_anybody_ = trusts_anybody;
  tls.context_.reset(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (!tls.context_) return base::Error{"cannot start TLS: " + last_tls_error()};
  SSL_CTX* const context = tls.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context, trusts_anybody ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  if (!authorities_file.empty()) {
    if (SSL_CTX_load_verify_locations(context, authorities_file.c_str(), nullptr) != 1) {
      return base::Error{"cannot read certificates from " + authorities_file + ": " +
                         last_tls_error()};
    }
  } else {
    SSL_CTX_set_default_verify_paths(context);
  }
  return tls;
}

void Stream::Free::operator()(ssl_st* ssl) const noexcept {
  SSL_free(ssl);
}

Stream::State Stream::connect(const Endpoint& endpoint, const TlsContext* tls) {
  is_connected_ = false;
  descriptor_.reset(
      ::socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!descriptor_.valid()) return State::failed;
  const int on = 1;
  ::setsockopt(descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  // Requests are not to be paced, as BBR would, and this costs the least. Reno is always there.
  ::setsockopt(descriptor(), IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
  if (endpoint.is_secure) {
    ssl_.reset(SSL_new(tls->get()));
    if (!ssl_ || SSL_set_fd(ssl_.get(), descriptor()) != 1) return State::tls_failed;
    if (is_address(endpoint.host)) {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), endpoint.host.c_str());
    } else {
      SSL_set_tlsext_host_name(ssl_.get(), endpoint.host.c_str());
      SSL_set1_host(ssl_.get(), endpoint.host.c_str());
    }
  }
  const auto* const address = reinterpret_cast<const sockaddr*>(&endpoint.address);
  if (::connect(descriptor(), address, endpoint.address_bytes) == 0) return State::done;
  return state_of(errno);
}

Stream::State Stream::finish_connect() {
  if (!is_connected_) {
    pollfd writable{descriptor(), POLLOUT, 0};
    if (::poll(&writable, 1, 0) <= 0) return State::pending;
    int error = 0;
    socklen_t bytes = sizeof(error);
    ::getsockopt(descriptor(), SOL_SOCKET, SO_ERROR, &error, &bytes);
    if (error != 0) return state_of(error);
    is_connected_ = true;
  }
  if (!ssl_) return State::done;
  ERR_clear_error();
  const int result = SSL_connect(ssl_.get());
  if (result == 1) return State::done;
  const State state = state_after_tls(result);
  return state == State::pending ? state : State::tls_failed;
}

// What the error queue of this thread and errno say about a call that gave no bytes.
Stream::State Stream::state_after_tls(int result) const {
  const int error = errno;
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return State::pending;
    case SSL_ERROR_ZERO_RETURN:
      return State::closed;
    case SSL_ERROR_SYSCALL:
      return error == 0 ? State::cut : state_of(error);
    default:
      return ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING
                 ? State::cut
                 : State::tls_failed;
  }
}

Stream::Moved Stream::read(std::span<char> buffer) {
  if (ssl_) {
    ERR_clear_error();
    const int bytes = SSL_read(ssl_.get(), buffer.data(), length_of(buffer.size()));
    if (bytes > 0) return {State::done, static_cast<std::size_t>(bytes)};
    return {state_after_tls(bytes), 0};
  }
  const long bytes = net::receive(descriptor(), buffer);
  if (bytes > 0) return {State::done, static_cast<std::size_t>(bytes)};
  return {bytes == 0 ? State::closed : state_of(static_cast<int>(-bytes)), 0};
}

Stream::Moved Stream::write(std::string_view bytes) {
  if (ssl_) {
    ERR_clear_error();
    const int written = SSL_write(ssl_.get(), bytes.data(), length_of(bytes.size()));
    if (written > 0) return {State::done, static_cast<std::size_t>(written)};
    return {state_after_tls(written), 0};
  }
  const long written = net::send(descriptor(), bytes);
  if (written >= 0) return {State::done, static_cast<std::size_t>(written)};
  return {state_of(static_cast<int>(-written)), 0};
}

void Stream::close() noexcept {
  ssl_.reset();
  descriptor_.reset();
  is_connected_ = false;
}

}  // namespace weft::load
