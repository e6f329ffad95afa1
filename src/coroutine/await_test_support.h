// SPDX-License-Identifier: Apache-2.0
// How a test, which is no coroutine, waits for one.
#pragma once

#include <weft/coroutines.h>

#include <future>
#include <memory>
#include <type_traits>
#include <utility>

namespace weft::coroutine {

template <class T>
std::future<T> future_of(const boost::asio::any_io_executor& executor,
                         boost::asio::awaitable<T> body,
                         const CancelToken& token = cancellation()) {
  auto promise = std::make_shared<std::promise<T>>();
  std::future<T> future = promise->get_future();
  spawn(executor, std::move(body), token, [promise](std::exception_ptr thrown, auto&&... value) {
    if (thrown != nullptr) {
      promise->set_exception(std::move(thrown));
    } else {
      promise->set_value(std::forward<decltype(value)>(value)...);
    }
  });
  return future;
}

template <class T>
T result_of(const boost::asio::any_io_executor& executor, boost::asio::awaitable<T> body,
            const CancelToken& token = cancellation()) {
  return future_of(executor, std::move(body), token).get();
}

}  // namespace weft::coroutine
