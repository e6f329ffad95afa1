// SPDX-License-Identifier: Apache-2.0
// TlsSource: the certificate that new connections are shown, which may be renewed at any time.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "net/stream.h"
#include "net/tls.h"
#include "os/file.h"

namespace weft::serve {

class TlsSource {
 public:
  // A connection that begins now. Throws where there is no memory, and then has not taken the
  // socket.
  net::Stream open(os::Descriptor&& socket) const {
    const auto context = get();
    return context == nullptr ? net::Stream(std::move(socket))
                              : net::Stream(std::move(socket), *context);
  }
  // None: connections are plain.
  void replace(std::shared_ptr<const net::TlsContext> context) {
    const std::scoped_lock guard(lock_);
    context_ = std::move(context);
  }

 private:
  std::shared_ptr<const net::TlsContext> get() const {
    const std::scoped_lock guard(lock_);
    return context_;
  }

  mutable std::mutex lock_;
  std::shared_ptr<const net::TlsContext> context_;  // guarded by lock_
};

}  // namespace weft::serve
