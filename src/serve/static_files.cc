// SPDX-License-Identifier: Apache-2.0
// Which file, and how much of it.
#include "serve/static_files.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <random>
#include <utility>

#include "http/conditional.h"
#include "http/mime.h"
#include "http/range.h"
#include "http/target.h"

namespace weft::serve {
namespace {

using File = std::shared_ptr<const StoredFile>;

// Several ranges are put together in memory, so no more than this; more is answered with the whole.
constexpr std::uint64_t most_multipart_bytes = std::uint64_t{4} * 1024 * 1024;

bool is_hidden(std::string_view path) {
  const auto dot = path.starts_with('.') ? 0 : path.find("/.");
  if (dot == std::string_view::npos) return false;
  return !path.starts_with(".well-known/") || path.find("/.") != std::string_view::npos;
}

void say_missing(Response& response, int error) {
  const bool is_forbidden = error == EACCES || error == EPERM || error == EXDEV || error == ELOOP;
  if (error == ENFILE || error == EMFILE || error == ENOMEM || error == EBUSY || error == EIO) {
    return set_error(response, 500, "the file cannot be read at the moment");
  }
  set_error(response, is_forbidden ? 403 : 404,
            is_forbidden ? "this is not for everybody" : "there is no such file");
}

std::int64_t unix_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now.tv_sec;
}

void give(const File& file, std::uint64_t offset, std::uint64_t bytes, Response& response) {
  if (file->is_small) {
    response.set_constant_body(std::string_view(file->content).substr(offset, bytes), file);
  } else {
    response.set_file({file->descriptor, offset, bytes});
  }
}

bool append(const StoredFile& file, const http::ByteRange& range, std::string& text) {
  const std::size_t before = text.size();
  if (file.is_small) {
    text.append(file.content, range.first, range.size());
    return true;
  }
  text.resize(before + range.size());
  return ::pread(file.descriptor->get(), text.data() + before, range.size(),
                 static_cast<off_t>(range.first)) == static_cast<ssize_t>(range.size());
}

std::string random_boundary() {
  thread_local std::mt19937_64 random{std::random_device{}()};
  return "weft-" + std::to_string(random()) + std::to_string(random());
}

// False: they are too much together, or the file has changed.
bool give_ranges(const File& file, const http::RangeSet& set, std::string_view type,
                 Response& response) {
  const std::string boundary = random_boundary();
  const http::MultipartRanges parts(set, file->bytes, type, boundary);
  if (parts.content_length() > most_multipart_bytes) return false;
  std::string text;
  text.reserve(parts.content_length());
  for (std::size_t i = 0; i < set.ranges().size(); ++i) {
    text += parts.head(i);
    if (!append(*file, set.ranges()[i], text)) return false;
  }
  text += parts.tail();
  response.set_status(206);
  response.set_type(parts.content_type());
  response.set_body(std::move(text));
  return true;
}

void give_as_asked(const Request& request, const File& file, std::string_view encoding,
                   std::string_view type, Response& response) {
  const http::Validators validators{.entity_tag = file->entity_tag,
                                    .last_modified = file->modified_unix_seconds};
  const std::int64_t now = unix_seconds();
  const auto verdict_of_conditions = http::evaluate_preconditions(request.head, validators, now);
  if (verdict_of_conditions == http::Verdict::precondition_failed) {
    return set_error(response, 412, "the file is not the one that was meant");
  }
  http::RangeSet set;
  const auto range = request.head.find(http::KnownField::range);
  const bool is_wanted = range && !request.head.has_more_than_one(http::KnownField::range) &&
                         request.head.method() == http::Method::get &&
                         verdict_of_conditions == http::Verdict::proceed &&
                         http::range_applies(request.head, validators, now);
  const auto verdict =
      is_wanted ? http::parse_range(*range, file->bytes, set) : http::RangeVerdict::whole;
  if (verdict == http::RangeVerdict::unsatisfiable) {
    response.add_field("Content-Range", http::content_range_of_none(file->bytes));
    return set_error(response, 416, "the file has no such bytes");
  }
  response.add_field("ETag", file->entity_tag);
  response.add_field("Last-Modified", file->modified_text);
  response.add_field("Accept-Ranges", "bytes");
  response.add_field("X-Content-Type-Options", "nosniff");
  if (!encoding.empty()) response.add_field("Content-Encoding", encoding);
  if (verdict_of_conditions == http::Verdict::not_modified) return response.set_status(304);
  const bool is_one = verdict == http::RangeVerdict::partial && set.ranges().size() == 1;
  if (verdict == http::RangeVerdict::partial && !is_one && give_ranges(file, set, type, response)) {
    return;
  }
  response.set_type(type);
  if (!is_one) return give(file, 0, file->bytes, response);
  const http::ByteRange one = set.ranges().front();
  response.set_status(206);
  response.add_field("Content-Range", http::content_range(one, file->bytes));
  give(file, one.first, one.size(), response);
}

void send_elsewhere(Response& response, std::string_view path, std::string_view query) {
  // One slash in front: two would be the name of another host.
  std::string place = "/";
  place.append(path.substr(std::min(path.find_first_not_of('/'), path.size()))).append("/");
  if (!query.empty()) place.append("?").append(query);
  response.add_field("Location", place);
  set_error(response, 301, "the folder's name ends with a slash");
}

std::string_view ending_of(http::Encoding encoding) {
  switch (encoding) {
    case http::Encoding::gzip:
      return ".gz";
    case http::Encoding::br:
      return ".br";
    case http::Encoding::zstd:
      return ".zst";
    case http::Encoding::identity:
      break;
  }
  return "";
}

}  // namespace

bool StaticFiles::answer_at_once(const Request& request, Response& response) {
  return answer(request, response, false);
}

void StaticFiles::answer(const Request& request, Response& response) {
  answer(request, response, true);
}

bool StaticFiles::answer(const Request& request, Response& response, bool may_wait) {
  const http::Method method = request.head.method();
  if (method != http::Method::get && method != http::Method::head) {
    response.add_field("Allow", "GET, HEAD, OPTIONS");
    if (method == http::Method::options) {
      response.set_status(204);
    } else {
      set_error(response, 405, "files can be read here, and nothing else");
    }
    return true;
  }
  const http::Target target = http::split_target(request.head.path_and_query());
  std::string memory(target.path.size(), '\0');
  const auto resolved = http::resolve_path(target.path, memory);
  if (!resolved) return set_error(response, 400, "the path is none"), true;
  if (is_hidden(*resolved)) return say_missing(response, ENOENT), true;
  std::string path(*resolved);
  if (path.empty() || path.ends_with('/')) path += "index.html";

  const auto now = FileCache::Clock::now();
  int error = 0;
  const auto get = [&](const std::string& name) -> File {
    if (File known = cache_.look(name, now, may_wait)) return known;
    if (!may_wait) return nullptr;
    auto loaded = cache_.load(name, now);
    if (!loaded) error = loaded.error().code;
    return loaded ? *loaded : nullptr;
  };
  File file = get(path);
  if (file == nullptr) {
    if (may_wait) say_missing(response, error);
    return may_wait;
  }
  if (file->is_folder) {
    const bool has_slash = target.path.ends_with('/');  // index.html is a folder
    has_slash ? say_missing(response, ENOENT) : send_elsewhere(response, target.path, target.query);
    return true;
  }
  const std::string_view type = http::media_type(path);
  const http::Encoding encoding = http::choose_encoding(request.head, file->encodings);
  const std::string_view ending = ending_of(encoding);
  const File chosen = ending.empty() ? file : get(path + std::string(ending));
  if (chosen == nullptr && !may_wait) return false;
  for (const auto each : {http::Encoding::gzip, http::Encoding::br, http::Encoding::zstd}) {
    if (!file->encodings.has(each)) continue;
    response.add_field("Vary", "Accept-Encoding");
    break;
  }
  const bool is_encoded = chosen != nullptr && chosen != file && !chosen->is_folder;
  const File& given = is_encoded ? chosen : file;
  if (!given->is_small && !may_wait) return false;  // the disk may have to be asked
  give_as_asked(request, given, is_encoded ? http::encoding_name(encoding) : "", type, response);
  return true;
}

}  // namespace weft::serve
