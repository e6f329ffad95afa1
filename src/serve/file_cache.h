// SPDX-License-Identifier: Apache-2.0
// FileCache: files as a server gives them, small ones with their content, for a moment at a time.
//
// An entry is taken as it is for a tenth of a second; then the file is looked at again. So a change
// is seen at once by people, and a busy file costs no system call. Used by any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "http/accept_encoding.h"
#include "serve/file_tree.h"

namespace weft::serve {

// What is known of a file. Constant.
struct StoredFile {
  std::shared_ptr<const os::Descriptor> descriptor;
  std::uint64_t bytes = 0;
  std::int64_t modified_unix_seconds = 0;
  std::string modified_text;  // as HTTP writes it
  std::string entity_tag;
  std::string content;  // all of it, of a small file
  bool is_small = false;
  bool is_folder = false;
  http::EncodingSet encodings;  // that are there beside it: name.gz, name.br, name.zst
};

class FileCache {
 public:
  using Clock = std::chrono::steady_clock;

  explicit FileCache(FileTree tree) noexcept : tree_(std::move(tree)) {}

  // What is known already; nullptr: ask load(). Never blocks. Of those who would load a file that
  // must be looked at again, one is told so, and the others have what is known.
  std::shared_ptr<const StoredFile> look(std::string_view path, Clock::time_point now,
                                         bool would_load);
  // May read from the disk. The Error has errno.
  base::Result<std::shared_ptr<const StoredFile>> load(const std::string& path,
                                                       Clock::time_point now);

 private:
  struct Entry {
    std::shared_ptr<const StoredFile> file;
    Clock::time_point checked;
    std::list<std::string>::iterator use;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };

  base::Result<std::shared_ptr<const StoredFile>> read(const std::string& path) const;
  void keep(const std::string& path, std::shared_ptr<const StoredFile> file, Clock::time_point now);
  void forget(const std::string& path);  // under lock_

  const FileTree tree_;
  std::mutex lock_;
  std::list<std::string> by_use_;  // guarded by lock_; the latest first
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> entries_;  // guarded by lock_
  std::uint64_t content_bytes_ = 0;                                        // guarded by lock_
};

}  // namespace weft::serve
