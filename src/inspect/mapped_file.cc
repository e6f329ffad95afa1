// SPDX-License-Identifier: Apache-2.0
// The bytes of a file.
#include "inspect/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <utility>

#include "os/file.h"

namespace weft::inspect {

base::Result<MappedFile> MappedFile::open(const std::string& path) {
  const auto file = os::open_to_read(path);
  if (!file) return file.error();
  struct stat status {};
  if (::fstat(file->get(), &status) != 0) return os::last_error("look at", path);
  if (!S_ISREG(status.st_mode)) return base::Error{"cannot read " + path + ": not a regular file"};
  const auto size_bytes = static_cast<std::size_t>(status.st_size);
  if (size_bytes == 0) return MappedFile(Bytes{});
  void* const address = ::mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE, file->get(), 0);
  if (address == MAP_FAILED) return os::last_error("map", path);
  return MappedFile(Bytes(static_cast<const std::byte*>(address), size_bytes));
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

}  // namespace weft::inspect
