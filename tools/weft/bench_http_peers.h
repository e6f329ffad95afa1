// SPDX-License-Identifier: Apache-2.0
// The servers that are compared: which there are, what they need, and the words that start them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bench/progress.h"
#include "bench/rivals.h"

namespace weft::tool {

enum class HttpServerKind : std::uint8_t {
  weft,
  go,
  node,
  apache_worker,
  apache_event,
  nginx,
  bare_loop
};
const char* name_of(HttpServerKind kind);

// The file that each of them serves, and its size.
inline constexpr const char* http_file_path = "/file.bin";
inline constexpr std::size_t http_file_bytes = 4096;

// What a setting file is made for.
using HttpReplacements = std::vector<std::pair<std::string_view, std::string>>;
// The text with each @NAME@ replaced by its value.
std::string fill_in(std::string text, const HttpReplacements& values);

// The first line that a program prints about itself; some do so on standard error.
std::string version_of(const std::vector<std::string>& command);

// Who was found on this machine, and is ready to be started.
class HttpPeers {
 public:
  // Looks for the kinds that are wanted, compiles what has to be, and makes the folder to serve.
  // Who is missing is an Error, or is left out.
  static base::Result<HttpPeers> prepare(const bench::TemporaryDirectory& directory,
                                         const std::set<HttpServerKind>& wanted, bool allow_missing,
                                         bench::Progress& progress);

  bool has(HttpServerKind kind) const { return programs_.contains(kind); }
  const std::vector<std::string>& missing() const { return missing_; }
  // Names with versions, as the programs tell them.
  const std::vector<std::pair<std::string, std::string>>& versions() const { return versions_; }
  // Whether `weft serve` knows of a policy.
  bool knows_policy(const std::string& name) const;

  // What starts it on a port, and for weft the admin port; settings are written into `place`.
  // `options` are those of `weft serve`.
  base::Result<std::vector<std::string>> words_to_start(HttpServerKind kind,
                                                        const std::vector<std::string>& options,
                                                        std::uint16_t port,
                                                        std::uint16_t admin_port,
                                                        const std::string& place) const;

 private:
  base::Status prepare_one(HttpServerKind kind, const bench::TemporaryDirectory& directory);
  base::Status prepare_apache_module(const bench::TemporaryDirectory& directory);
  void add_version(const std::string& name, const std::vector<std::string>& command);

  std::string folder_;
  std::string weft_help_;
  std::string apache_module_;
  std::map<HttpServerKind, std::string> programs_;
  std::vector<std::string> missing_;
  std::vector<std::pair<std::string, std::string>> versions_;
};

}  // namespace weft::tool
