// SPDX-License-Identifier: Apache-2.0
// Files as the kernel offers its settings: small texts, read whole, written in one call, kept open.
//
// Contract: every call retries EINTR, opens with O_CLOEXEC, and answers an Error with errno and a
// message "cannot VERB PATH: reason" instead of throwing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weft::os {

// An open file, closed when it goes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const noexcept { return number_; }
  bool valid() const noexcept { return number_ >= 0; }
  int release() noexcept {
    const int number = number_;
    number_ = -1;
    return number;
  }
  void reset(int number = -1) noexcept;

 private:
  int number_ = -1;
};

// "cannot VERB PATH: reason", with what errno is now.
base::Error last_error(std::string_view verb, const std::string& path);

base::Result<Descriptor> open_to_read(const std::string& path);
base::Result<Descriptor> open_to_update(const std::string& path);

// The whole content, in one or more reads; for files of /proc and /sys, which have no size.
base::Result<std::string> read_text(const std::string& path);

// What pread gives from the start of the file, in one system call: text longer than the buffer is
// cut. The kernel makes the text anew each time.
base::Result<std::size_t> read_again(const Descriptor& file, std::span<char> buffer);

// Writes the whole text in one system call, as the kernel's setting files want it.
base::Status write_text(const std::string& path, std::string_view text);
base::Status write_text(const Descriptor& file, std::string_view text, const std::string& path);

// Where a symbolic link points.
base::Result<std::string> read_link(const std::string& path);

}  // namespace weft::os
