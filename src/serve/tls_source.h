// SPDX-License-Identifier: Apache-2.0
// TlsSource: the certificate that new connections are shown, which may be renewed at any time.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "net/tls.h"

namespace weft::serve {

class TlsSource {
 public:
  // None: connections are plain.
  std::shared_ptr<const net::TlsContext> get() const {
    const std::scoped_lock guard(lock_);
    return context_;
  }
  void replace(std::shared_ptr<const net::TlsContext> context) {
    const std::scoped_lock guard(lock_);
    context_ = std::move(context);
  }

 private:
  mutable std::mutex lock_;
  std::shared_ptr<const net::TlsContext> context_;  // guarded by lock_
};

}  // namespace weft::serve
