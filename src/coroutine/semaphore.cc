// SPDX-License-Identifier: Apache-2.0
// A permit that is given back goes to who has waited longest.
#include <weft/coroutine_sync.h>

namespace weft {

boost::asio::awaitable<AsyncSemaphore::Permit> AsyncSemaphore::acquire() {
  std::unique_lock guard(mutex_);
  if (count_ == 0) {
    co_await waiters_.wait(guard);
  } else {
    --count_;
  }
  co_return Permit(*this);
}

std::optional<AsyncSemaphore::Permit> AsyncSemaphore::try_acquire() noexcept {
  const std::scoped_lock guard(mutex_);
  if (count_ == 0) return std::nullopt;
  --count_;
  return Permit(*this);
}

void AsyncSemaphore::release() noexcept {
  const std::unique_lock guard(mutex_);
  if (!waiters_.wake_one(guard)) ++count_;
}

}  // namespace weft
