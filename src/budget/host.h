// SPDX-License-Identifier: Apache-2.0
// The host that a Query names: its files, and the environment of the process.
#pragma once

#include <optional>
#include <string>

#include <weft/budget.h>

#include "base/result.h"

namespace weft::budget {

class Host {
 public:
  explicit Host(const Query& query) : query_(query) {}

  // Whether this is the machine that we run on, so that system calls may be asked.
  bool is_here() const { return query_.root == "/"; }
  bool may_use_proc() const { return query_.cgroups; }
  pid_t process() const { return query_.process; }

  // A path of that host as one that can be opened here.
  std::string local_path(const std::string& path) const;
  // "/proc/self/NAME", or that of the process that was asked for.
  std::string process_file(const std::string& name) const;

  // Errors name the path as that host has it.
  base::Result<std::string> read(const std::string& path) const;
  bool exists(const std::string& path) const;
  // Asked without /proc where this is the machine that we run on.
  bool process_exists() const;
  base::Result<std::string> read_link(const std::string& path) const;

  // A variable of the process's environment; empty ones count as not set. An Error where the
  // environment of another process cannot be read.
  base::Result<std::optional<std::string>> variable(const std::string& name) const;

 private:
  const Query& query_;
};

// Not there, as opposed to: there, and not to be read.
bool is_absent(const base::Error& error) noexcept;

}  // namespace weft::budget
