// SPDX-License-Identifier: Apache-2.0
// Opening what is beneath a folder.
#include "serve/file_tree.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace weft::serve {
namespace {

// A FIFO must not stop us before it is known to be one.
constexpr int how_to_open = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

// Folder by folder, and no symbolic link on the way.
int open_by_steps(int root, std::string_view path) {
  os::Descriptor folder(::fcntl(root, F_DUPFD_CLOEXEC, 0));
  if (!folder.valid()) return -1;
  for (;;) {
    const std::string name(base::take_until(path, '/'));
    const bool is_last = path.empty();
    const int flags = how_to_open | O_NOFOLLOW | (is_last ? 0 : O_DIRECTORY);
    const int opened = ::openat(folder.get(), name.c_str(), flags);
    if (opened < 0 || is_last) return opened;
    folder.reset(opened);
  }
}

}  // namespace

base::Result<FileTree> FileTree::open(const std::string& folder) {
  os::Descriptor root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return os::last_error("serve the folder", folder);
  return FileTree(std::move(root));
}

int FileTree::open_beneath(const char* path) const {
  open_how how{};
  how.flags = how_to_open;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long opened = -1;
  // Who renames folders meanwhile may make the kernel unsure, for a moment.
  for (int attempts = 8; attempts != 0; --attempts) {
    opened = ::syscall(SYS_openat2, root_.get(), path, &how, sizeof(how));
    if (opened >= 0 || errno != EAGAIN) break;
  }
  if (opened >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(opened);
  return open_by_steps(root_.get(), path);
}

base::Result<FileTree::Opened> FileTree::find(std::string_view path) const {
  const std::string text(path.empty() ? "." : path);
  Opened opened{.file = os::Descriptor(open_beneath(text.c_str()))};
  if (!opened.file.valid()) return os::last_error("open", text);
  if (::fstat(opened.file.get(), &opened.status) != 0) return os::last_error("look at", text);
  if (!S_ISREG(opened.status.st_mode) && !S_ISDIR(opened.status.st_mode)) {
    errno = EACCES;
    return os::last_error("open", text);
  }
  return opened;
}

}  // namespace weft::serve
