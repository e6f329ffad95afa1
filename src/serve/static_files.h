// SPDX-License-Identifier: Apache-2.0
// StaticFiles: a folder, as a web server gives it.
//
// GET and HEAD; conditional requests, ranges, forms that were compressed beforehand (name.gz,
// name.br, name.zst), index.html of a folder. Hidden files (a name that begins with a dot, but
// .well-known) are not there, and folders are not listed.
#pragma once

#include <string>
#include <string_view>

#include "serve/file_cache.h"
#include "serve/response.h"

namespace weft::serve {

class StaticFiles {
 public:
  explicit StaticFiles(FileTree tree) noexcept : cache_(std::move(tree)) {}

  // False: that would take a look at the disk, and nothing was said.
  bool answer_at_once(const Request& request, Response& response);
  void answer(const Request& request, Response& response);

 private:
  bool answer(const Request& request, Response& response, bool may_wait);

  FileCache cache_;
};

}  // namespace weft::serve
