// SPDX-License-Identifier: Apache-2.0
// Stream: a connection's bytes, plain or through TLS, without ever blocking.
//
// Contract: SIGPIPE is blocked in the threads that use one, because OpenSSL writes without
// MSG_NOSIGNAL. An answer of `pending` means: ask again when the descriptor is ready for anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "load/endpoint.h"
#include "os/file.h"

struct ssl_st;
struct ssl_ctx_st;

namespace weft::load {

// Who is trusted, and what TLS remembers for all connections of a run.
class TlsContext {
 public:
  static base::Result<TlsContext> make(bool trusts_anybody, const std::string& authorities_file);
  ssl_ctx_st* get() const noexcept { return context_.get(); }
  bool trusts_anybody() const noexcept { return trusts_anybody_; }

 private:
  std::shared_ptr<ssl_ctx_st> context_;
  bool trusts_anybody_ = false;
};

class Stream {
 public:
  enum class State : std::uint8_t {
    done,
    pending,
    refused,
    failed,
    tls_failed,
    reset,
    closed,
    cut
  };
  struct Moved {
    State state = State::done;
    std::size_t bytes = 0;
  };

  // Starts to connect; `done` and `pending` both mean that it goes on with finish_connect().
  State connect(const Endpoint& endpoint, const TlsContext* tls);
  State finish_connect();
  // `done` with at least one byte; `closed` at the peer's orderly end, `cut` where TLS was not
  // ended.
  Moved read(std::span<char> buffer);
  Moved write(std::string_view bytes);

  int descriptor() const noexcept { return descriptor_.get(); }
  bool is_secure() const noexcept { return ssl_ != nullptr; }
  void close() noexcept;

 private:
  struct Free {
    void operator()(ssl_st* ssl) const noexcept;
  };
  State state_after_tls(int result) const;

  os::Descriptor descriptor_;
  std::unique_ptr<ssl_st, Free> ssl_;
  bool is_connected_ = false;  // below TLS
};

}  // namespace weft::load
