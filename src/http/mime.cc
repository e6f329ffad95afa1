// SPDX-License-Identifier: Apache-2.0
// The media type of a file, by the end of its name.
#include "http/mime.h"

#include <algorithm>
#include <array>

#include "http/characters.h"

namespace weft::http {
namespace {

struct Type {
  std::string_view extension;
  std::string_view media_type;
};

// Sorted by extension.
constexpr std::array types = {
    Type{"7z", "application/x-7z-compressed"},
    Type{"aac", "audio/aac"},
    Type{"apk", "application/vnd.android.package-archive"},
    Type{"apng", "image/apng"},
    Type{"atom", "application/atom+xml"},
    Type{"avi", "video/x-msvideo"},
    Type{"avif", "image/avif"},
    Type{"bin", "application/octet-stream"},
    Type{"bmp", "image/bmp"},
    Type{"bz2", "application/x-bzip2"},
    Type{"c", "text/plain; charset=utf-8"},
    Type{"cc", "text/plain; charset=utf-8"},
    Type{"conf", "text/plain; charset=utf-8"},
    Type{"cpp", "text/plain; charset=utf-8"},
    Type{"css", "text/css; charset=utf-8"},
    Type{"csv", "text/csv; charset=utf-8"},
    Type{"deb", "application/vnd.debian.binary-package"},
    Type{"diff", "text/x-diff; charset=utf-8"},
    Type{"doc", "application/msword"},
    Type{"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    Type{"eot", "application/vnd.ms-fontobject"},
    Type{"epub", "application/epub+zip"},
    Type{"flac", "audio/flac"},
    Type{"gif", "image/gif"},
    Type{"go", "text/plain; charset=utf-8"},
    Type{"gz", "application/gzip"},
    Type{"h", "text/plain; charset=utf-8"},
    Type{"heic", "image/heic"},
    Type{"htm", "text/html; charset=utf-8"},
    Type{"html", "text/html; charset=utf-8"},
    Type{"ico", "image/x-icon"},
    Type{"ics", "text/calendar; charset=utf-8"},
    Type{"ini", "text/plain; charset=utf-8"},
    Type{"iso", "application/x-iso9660-image"},
    Type{"jar", "application/java-archive"},
    Type{"jpeg", "image/jpeg"},
    Type{"jpg", "image/jpeg"},
    Type{"js", "text/javascript; charset=utf-8"},
    Type{"json", "application/json"},
    Type{"jsonld", "application/ld+json"},
    Type{"jxl", "image/jxl"},
    Type{"log", "text/plain; charset=utf-8"},
    Type{"m3u8", "application/vnd.apple.mpegurl"},
    Type{"m4a", "audio/mp4"},
    Type{"m4v", "video/mp4"},
    Type{"map", "application/json"},
    Type{"md", "text/markdown; charset=utf-8"},
    Type{"mid", "audio/midi"},
    Type{"mjs", "text/javascript; charset=utf-8"},
    Type{"mkv", "video/x-matroska"},
    Type{"mov", "video/quicktime"},
    Type{"mp3", "audio/mpeg"},
    Type{"mp4", "video/mp4"},
    Type{"mpeg", "video/mpeg"},
    Type{"mpg", "video/mpeg"},
    Type{"odp", "application/vnd.oasis.opendocument.presentation"},
    Type{"ods", "application/vnd.oasis.opendocument.spreadsheet"},
    Type{"odt", "application/vnd.oasis.opendocument.text"},
    Type{"oga", "audio/ogg"},
    Type{"ogg", "audio/ogg"},
    Type{"ogv", "video/ogg"},
    Type{"opus", "audio/ogg"},
    Type{"otf", "font/otf"},
    Type{"patch", "text/x-diff; charset=utf-8"},
    Type{"pdf", "application/pdf"},
    Type{"png", "image/png"},
    Type{"ppt", "application/vnd.ms-powerpoint"},
    Type{"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    Type{"ps", "application/postscript"},
    Type{"py", "text/x-python; charset=utf-8"},
    Type{"rar", "application/vnd.rar"},
    Type{"rs", "text/plain; charset=utf-8"},
    Type{"rss", "application/rss+xml"},
    Type{"rtf", "application/rtf"},
    Type{"sh", "text/x-shellscript; charset=utf-8"},
    Type{"svg", "image/svg+xml"},
    Type{"tar", "application/x-tar"},
    Type{"tif", "image/tiff"},
    Type{"tiff", "image/tiff"},
    Type{"toml", "application/toml"},
    Type{"ts", "video/mp2t"},
    Type{"tsv", "text/tab-separated-values; charset=utf-8"},
    Type{"ttf", "font/ttf"},
    Type{"txt", "text/plain; charset=utf-8"},
    Type{"vtt", "text/vtt; charset=utf-8"},
    Type{"wasm", "application/wasm"},
    Type{"wav", "audio/wav"},
    Type{"weba", "audio/webm"},
    Type{"webm", "video/webm"},
    Type{"webmanifest", "application/manifest+json"},
    Type{"webp", "image/webp"},
    Type{"woff", "font/woff"},
    Type{"woff2", "font/woff2"},
    Type{"xhtml", "application/xhtml+xml"},
    Type{"xls", "application/vnd.ms-excel"},
    Type{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    Type{"xml", "text/xml; charset=utf-8"},
    Type{"xz", "application/x-xz"},
    Type{"yaml", "application/yaml"},
    Type{"yml", "application/yaml"},
    Type{"zip", "application/zip"},
    Type{"zst", "application/zstd"},
};
static_assert(std::is_sorted(types.begin(), types.end(),
                             [](auto& a, auto& b) { return a.extension < b.extension; }));

constexpr std::size_t longest = 11;
static_assert(std::all_of(types.begin(), types.end(),
                          [](auto& type) { return type.extension.size() <= longest; }));

}  // namespace

std::string_view media_type(std::string_view path) noexcept {
  constexpr std::string_view unknown = "application/octet-stream";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos || name.size() - dot - 1 > longest) return unknown;
  std::array<char, longest> lower;
  const std::string_view end = name.substr(dot + 1);
  std::transform(end.begin(), end.end(), lower.begin(), to_lower);
  const std::string_view extension(lower.data(), end.size());
  const auto found =
      std::lower_bound(types.begin(), types.end(), extension,
                       [](const Type& type, auto wanted) { return type.extension < wanted; });
  return found != types.end() && found->extension == extension ? found->media_type : unknown;
}

}  // namespace weft::http
