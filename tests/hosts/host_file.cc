// SPDX-License-Identifier: Apache-2.0
// A .host file: a whole host as one text, unpacked into a directory.
#include "host_file.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

#include "base/text.h"

namespace weft::hosts {
namespace {

namespace fs = std::filesystem;

struct Entry {
  enum class Kind { file, unreadable, directory, link, missing };
  Kind kind = Kind::file;
  std::string content;  // or where the link points
};

// What every host has unless it says otherwise: 8 CPUs, 16 GiB, the initial cgroup namespace.
std::map<std::string, Entry> default_entries() {
  return {{"proc/self/status", {Entry::Kind::file, "Name:\tapp\nCpus_allowed:\tff\n"}},
          {"sys/devices/system/cpu/online", {Entry::Kind::file, "0-7\n"}},
          {"proc/meminfo", {Entry::Kind::file, "MemTotal:       16777216 kB\n"}},
          {"proc/self/ns/cgroup", {Entry::Kind::link, "cgroup:[4026531835]"}}};
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// "-- path --" and its variants.
std::pair<std::string, Entry> parse_header(std::string_view header) {
  Entry entry;
  if (const auto arrow = header.find(" -> "); arrow != std::string_view::npos) {
    entry.kind = Entry::Kind::link;
    entry.content = header.substr(arrow + 4);
    header = header.substr(0, arrow);
  } else if (take_suffix(header, " (unreadable)")) {
    entry.kind = Entry::Kind::unreadable;
  } else if (take_suffix(header, " (missing)")) {
    entry.kind = Entry::Kind::missing;
  } else if (take_suffix(header, "/")) {
    entry.kind = Entry::Kind::directory;
  }
  return {std::string(header), entry};
}

void write_entry(const fs::path& path, const Entry& entry) {
  if (entry.kind == Entry::Kind::missing) return;
  fs::create_directories(path.parent_path());
  if (entry.kind == Entry::Kind::directory) {
    fs::create_directories(path);
  } else if (entry.kind == Entry::Kind::link) {
    fs::create_symlink(entry.content, path);
  } else {
    std::ofstream(path, std::ios::binary) << entry.content;
    if (entry.kind == Entry::Kind::unreadable) fs::permissions(path, fs::perms::none);
  }
}

}  // namespace

HostFile unpack_host(std::string_view text, const std::string& root) {
  HostFile host;
  auto entries = default_entries();
  Entry* current = nullptr;
  while (!text.empty()) {
    const std::string_view line = base::take_until(text, '\n');
    std::string_view header = line;
    if (header.starts_with("-- ") && take_suffix(header, " --")) {
      auto [path, entry] = parse_header(header.substr(3));
      current = &(entries[path] = entry);
      host.has_unreadable_files |= entry.kind == Entry::Kind::unreadable;
    } else if (current != nullptr) {
      if (current->kind == Entry::Kind::file) current->content.append(line).append("\n");
    } else if (line.starts_with("env ")) {
      std::string_view value = line.substr(4);
      const std::string name(base::take_until(value, '='));
      host.environment.emplace_back(name, value);
    } else if (line.starts_with("expect ")) {
      std::string_view value = line.substr(7);
      const std::string what(base::take_field(value));
      host.expectations.push_back({what, std::string(base::trim(value))});
    } else if (!line.empty() && line.front() != '#') {
      throw std::runtime_error("not a line of a .host file: " + std::string(line));
    }
  }
  if (host.expectations.empty()) throw std::runtime_error("expects nothing");
  for (const auto& [path, entry] : entries) write_entry(fs::path(root) / path, entry);
  return host;
}

TemporaryDirectory::TemporaryDirectory() {
  path_ = (fs::temp_directory_path() / "weft-host-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary directory");
  fs::permissions(path_, fs::perms(0755));
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace weft::hosts
