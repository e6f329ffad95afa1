// SPDX-License-Identifier: Apache-2.0
// Files, read and remembered.
#include "serve/file_cache.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

#include "http/date.h"
#include "http/mime.h"

namespace weft::serve {
namespace {

constexpr auto time_taken_as_it_is = std::chrono::milliseconds{100};
constexpr std::uint64_t small_bytes = std::uint64_t{64} * 1024;
constexpr std::uint64_t most_content_bytes = std::uint64_t{64} * 1024 * 1024;
constexpr std::size_t most_entries = 1024;

// Two files of one name differ in one of these, as long as they are further apart than the file
// system's clock can tell.
std::string entity_tag_of(const struct stat& status, std::string_view path) {
  std::string tag = "\"";
  const auto append = [&tag](std::int64_t number) {
    std::array<char, 17> digits;  // sixteen, and a sign
    const char* const end = std::to_chars(digits.begin(), digits.end(), number, 16).ptr;
    tag.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
  };
  append(status.st_mtim.tv_sec);
  tag += '.';
  append(status.st_mtim.tv_nsec);
  tag += '-';
  append(status.st_size);
  // The codings of one thing have one name to the client, and must not have one tag.
  for (const std::string_view ending : {".gz", ".br", ".zst"}) {
    if (path.ends_with(ending)) tag += ending;
  }
  return tag + '"';
}

// What is compressed already has no other form.
bool is_worth_compressing(std::string_view path) {
  const std::string_view type = http::media_type(path);
  return type.starts_with("text/") || type.find("json") != std::string_view::npos ||
         type.find("javascript") != std::string_view::npos ||
         type.find("xml") != std::string_view::npos || type.find("wasm") != std::string_view::npos;
}

bool read_all(const os::Descriptor& file, std::string& content) {
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t bytes =
        ::pread(file.get(), content.data() + done, content.size() - done, static_cast<off_t>(done));
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return false;  // it has become shorter while we read
    done += static_cast<std::size_t>(bytes);
  }
  return true;
}

}  // namespace

std::shared_ptr<const StoredFile> FileCache::look(std::string_view path, Clock::time_point now,
                                                  bool would_load) {
  const std::scoped_lock guard(lock_);
  const auto found = entries_.find(path);
  if (found == entries_.end()) return nullptr;
  Entry& entry = found->second;
  by_use_.splice(by_use_.begin(), by_use_, entry.use);
  if (now - entry.checked < time_taken_as_it_is) return entry.file;
  if (would_load) entry.checked = now;
  return nullptr;
}

base::Result<std::shared_ptr<const StoredFile>> FileCache::load(const std::string& path,
                                                                Clock::time_point now) {
  auto file = read(path);
  if (file) {
    keep(path, *file, now);
  } else {
    const std::scoped_lock guard(lock_);
    forget(path);
  }
  return file;
}

base::Result<std::shared_ptr<const StoredFile>> FileCache::read(const std::string& path) const {
  auto opened = tree_.find(path);
  if (!opened) return opened.error();
  auto stored = std::make_shared<StoredFile>();
  stored->is_folder = S_ISDIR(opened->status.st_mode);
  if (stored->is_folder) return std::shared_ptr<const StoredFile>(std::move(stored));
  stored->bytes = static_cast<std::uint64_t>(opened->status.st_size);
  stored->modified_unix_seconds = opened->status.st_mtim.tv_sec;
  stored->modified_text = http::DateText(stored->modified_unix_seconds).text();
  stored->entity_tag = entity_tag_of(opened->status, path);
  if (stored->bytes <= small_bytes) {
    stored->content.resize(stored->bytes);
    stored->is_small = read_all(opened->file, stored->content);
    if (!stored->is_small) return base::Error{"the file changes while it is read", EBUSY};
  } else {
    stored->descriptor = std::make_shared<const os::Descriptor>(std::move(opened->file));
  }
  if (is_worth_compressing(path)) {
    for (const auto& [ending, encoding] : {std::pair{".gz", http::Encoding::gzip},
                                           {".br", http::Encoding::br},
                                           {".zst", http::Encoding::zstd}}) {
      const auto other = tree_.find(path + ending);
      if (other && S_ISREG(other->status.st_mode)) stored->encodings.add(encoding);
    }
  }
  return std::shared_ptr<const StoredFile>(std::move(stored));
}

void FileCache::forget(const std::string& path) {
  const auto found = entries_.find(path);
  if (found == entries_.end()) return;
  content_bytes_ -= found->second.file->content.size();
  by_use_.erase(found->second.use);
  entries_.erase(found);
}

void FileCache::keep(const std::string& path, std::shared_ptr<const StoredFile> file,
                     Clock::time_point now) {
  const std::scoped_lock guard(lock_);
  forget(path);
  content_bytes_ += file->content.size();
  by_use_.push_front(path);
  entries_.emplace(path, Entry{std::move(file), now, by_use_.begin()});
  while (content_bytes_ > most_content_bytes || entries_.size() > most_entries) {
    forget(std::string(by_use_.back()));
  }
}

}  // namespace weft::serve
