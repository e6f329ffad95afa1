// SPDX-License-Identifier: Apache-2.0
// Files as the kernel offers its settings.
#include "os/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace weft::os {
namespace {

// Calls until it is not interrupted by a signal.
template <class Call>
auto uninterrupted(Call call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

base::Result<Descriptor> open_with(const std::string& path, int flags) {
  const int number = uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC); });
  if (number < 0) return last_error("open", path);
  return Descriptor(number);
}

}  // namespace

void Descriptor::reset(int number) noexcept {
  if (number_ >= 0) ::close(number_);
  number_ = number;
}

base::Error last_error(std::string_view verb, const std::string& path) {
  const int code = errno;
  std::array<char, 128> reason{};
  std::string message = "cannot ";
  message.append(verb).append(" ").append(path).append(": ");
  message += strerror_r(code, reason.data(), reason.size());
  return {std::move(message), code};
}

base::Result<Descriptor> open_to_read(const std::string& path) {
  return open_with(path, O_RDONLY);
}

base::Result<Descriptor> open_to_update(const std::string& path) {
  return open_with(path, O_RDWR | O_NONBLOCK);
}

base::Result<std::string> read_text(const std::string& path) {
  auto file = open_to_read(path);
  if (!file) return file.error();
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const auto count =
        uninterrupted([&] { return ::read(file->get(), buffer.data(), buffer.size()); });
    if (count < 0) return last_error("read", path);
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

base::Result<std::size_t> read_again(const Descriptor& file, std::span<char> buffer) {
  const auto count =
      uninterrupted([&] { return ::pread(file.get(), buffer.data(), buffer.size(), 0); });
  if (count < 0) return last_error("read", "descriptor " + std::to_string(file.get()));
  return static_cast<std::size_t>(count);
}

base::Status write_text(const Descriptor& file, std::string_view text, const std::string& path) {
  const auto count = uninterrupted([&] { return ::write(file.get(), text.data(), text.size()); });
  if (count < 0) return last_error("write", path);
  if (static_cast<std::size_t>(count) != text.size()) {
    return base::Error{"cannot write " + path + ": only a part was taken", 0};
  }
  return base::Done{};
}

base::Status write_text(const std::string& path, std::string_view text) {
  auto file = open_with(path, O_WRONLY);
  if (!file) return file.error();
  return write_text(*file, text, path);
}

base::Result<std::string> read_link(const std::string& path) {
  std::array<char, 4096> target{};
  const auto count = ::readlink(path.c_str(), target.data(), target.size());
  if (count < 0) return last_error("read the link", path);
  return std::string(target.data(), static_cast<std::size_t>(count));
}

}  // namespace weft::os
