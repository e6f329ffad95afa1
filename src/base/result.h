// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or an Error that says what was wrong; for what can be expected to fail.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace weft::base {

struct Error {
  std::string message;  // what, where and, where it helps, what to do
  int code = 0;         // errno, where a system call failed
};

template <class T>
class [[nodiscard]] Result {
 public:
  // Both implicit, so that a function can return either.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  // Precondition: ok().
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Precondition: !ok().
  const Error& error() const& { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// For what gives nothing but success.
struct Done {};
using Status = Result<Done>;

}  // namespace weft::base
