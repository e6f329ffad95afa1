// SPDX-License-Identifier: Apache-2.0
// Whether a program that this process executes is run under weft, too, and its environment then.
#pragma once

#include <memory>

namespace weft::preload {

// An environment with our variables in it, or the one that was given.
class ChildEnvironment {
 public:
  // `path`: the file that will be executed.
  ChildEnvironment(const char* path, char* const* environment);
  char* const* get() const noexcept { return list_ != nullptr ? list_.get() : given_; }

 private:
  char* const* given_;
  std::unique_ptr<char*[]> list_;
  std::unique_ptr<char[]> text_;
};

}  // namespace weft::preload
