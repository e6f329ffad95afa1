// SPDX-License-Identifier: Apache-2.0
// Where the preload library is.
#include "run_library.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "install_paths.h"
#include "os/file.h"

namespace weft::tool {
namespace {

// LD_PRELOAD separates by both, and knows no quotes.
base::Result<std::string> fit_for_preload(std::string path) {
  if (path.find_first_of(": ") == std::string::npos) return path;
  return base::Error{"the path of the preload library, '" + path +
                     "', has a space or a colon in it, which LD_PRELOAD cannot hold; move it, or "
                     "set WEFT_LIBRARY to a symbolic link without them"};
}

}  // namespace

base::Result<std::string> find_preload_library(const std::string& program, const char* override) {
  namespace fs = std::filesystem;
  if (override != nullptr && *override != '\0') {
    if (::access(override, R_OK) != 0) {
      return base::Error{"WEFT_LIBRARY: " + os::last_error("read", override).message +
                         "; set it to the path of libweft-preload.so, or unset it"};
    }
    return fit_for_preload(fs::absolute(override).lexically_normal().string());
  }
  const fs::path directory = fs::path(program).parent_path();
  std::string looked_at;
  for (const char* const relative : {library_in_build_tree, library_installed}) {
    const std::string path = (directory / relative).lexically_normal().string();
    if (::access(path.c_str(), R_OK) == 0) return fit_for_preload(path);
    looked_at += (looked_at.empty() ? "" : " nor ") + path;
  }
  return base::Error{"cannot find the preload library: neither " + looked_at +
                     " can be read; install weft (make install), or set WEFT_LIBRARY to the path "
                     "of libweft-preload.so"};
}

base::Result<std::string> find_preload_library() {
  const auto program = os::read_link("/proc/self/exe");
  if (!program) {
    return base::Error{"cannot tell where weft is: " + program.error().message +
                       "; mount /proc, or set WEFT_LIBRARY to the path of libweft-preload.so"};
  }
  return find_preload_library(*program, std::getenv("WEFT_LIBRARY"));
}

}  // namespace weft::tool
