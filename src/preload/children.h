// SPDX-License-Identifier: Apache-2.0
// Whether a program that this process executes is run under weft, too, and its environment then.
#pragma once

#include <memory>

namespace weft::preload {

// How a name leads to the file: as it is, or through PATH where it has no slash.
enum class FoundBy : bool { name, path_variable };

// An environment with our variables in it, or the one that was given.
class ChildEnvironment {
 public:
  // `path`: the file that will be executed.
  ChildEnvironment(const char* path, char* const* environment, FoundBy found_by = FoundBy::name);
  // The same below an open directory; an empty path: what is open there itself.
  ChildEnvironment(int directory, const char* path, char* const* environment);
  char* const* get() const noexcept { return list_ != nullptr ? list_.get() : given_; }

 private:
  void add_our_own();

  char* const* given_;
  std::unique_ptr<char*[]> list_;
  std::unique_ptr<char[]> text_;
};

}  // namespace weft::preload
