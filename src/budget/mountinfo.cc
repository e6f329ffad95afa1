// SPDX-License-Identifier: Apache-2.0
// /proc/PID/mountinfo: where the cgroup hierarchies can be seen, if at all.
#include "budget/mountinfo.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace weft::budget {
namespace {

// One line; the names are still escaped, which does not matter for comparing them.
struct Line {
  unsigned id = 0;
  unsigned parent = 0;
  std::string_view root;
  std::string_view mount_point;
  std::string_view type;
  std::string_view super_options;
};

// "36 35 98:0 /root /mount/point rw,noatime shared:1 - type source rw,options"
std::optional<Line> parse_line(std::string_view text) {
  Line line;
  const auto id = base::to_number<unsigned>(base::take_field(text));
  const auto parent = base::to_number<unsigned>(base::take_field(text));
  base::take_field(text);  // the device
  line.root = base::take_field(text);
  line.mount_point = base::take_field(text);
  base::take_field(text);  // options of this mount
  // Then any number of optional fields, and a lone hyphen.
  std::string_view field = base::take_field(text);
  while (!field.empty() && field != "-") field = base::take_field(text);
  line.type = base::take_field(text);
  base::take_field(text);  // the source
  // WSL writes unescaped spaces into the super options, so they are all that is left.
  line.super_options = base::trim(text);
  if (!id || !parent || line.mount_point.empty() || line.type.empty()) return std::nullopt;
  line.id = *id;
  line.parent = *parent;
  return line;
}

bool is_inside(std::string_view path, std::string_view directory) {
  return directory == "/" || (path.size() > directory.size() && path.starts_with(directory) &&
                              path[directory.size()] == '/');
}

// Which mounts hide which. A mount on the very place where another one is has that one as its
// parent; the order of the lines says nothing (the root file system often comes last).
class MountTree {
 public:
  explicit MountTree(const std::vector<Line>& lines) : lines_(lines) {}

  bool visible(std::size_t index) const {
    if (covered(lines_[index])) return false;
    // Then the way from the mount upwards; bounded, because a text may hold a cycle.
    for (std::size_t step = 0; step <= lines_.size(); ++step) {
      const Line& mount = lines_[index];
      if (hidden_by_sibling(mount)) return false;
      const auto parent = std::find_if(lines_.begin(), lines_.end(),
                                       [&](const Line& line) { return line.id == mount.parent; });
      if (parent == lines_.end() || parent->id == mount.id) return true;
      const bool covers_parent = parent->mount_point == mount.mount_point;
      if (!covers_parent && covered(*parent)) return false;
      index = static_cast<std::size_t>(parent - lines_.begin());
    }
    return true;
  }

 private:
  bool covered(const Line& mount) const {
    return std::any_of(lines_.begin(), lines_.end(), [&](const Line& other) {
      return other.parent == mount.id && other.id != mount.id &&
             other.mount_point == mount.mount_point;
    });
  }
  // A mount on a directory above, in the same parent: had it been there first, this one would be
  // on it and not beside it. The order of the lines says nothing here either.
  bool hidden_by_sibling(const Line& mount) const {
    return std::any_of(lines_.begin(), lines_.end(), [&](const Line& other) {
      return other.parent == mount.parent && other.mount_point != "/" &&
             is_inside(mount.mount_point, other.mount_point);
    });
  }

  const std::vector<Line>& lines_;
};

}  // namespace

std::string unescape_octal(std::string_view escaped) {
  const auto digit = [](char byte) { return byte >= '0' && byte <= '7'; };
  std::string text;
  text.reserve(escaped.size());
  for (std::size_t at = 0; at < escaped.size(); ++at) {
    if (escaped[at] == '\\' && at + 3 < escaped.size() && escaped[at + 1] <= '3' &&
        digit(escaped[at + 1]) && digit(escaped[at + 2]) && digit(escaped[at + 3])) {
      const int value =
          (escaped[at + 1] - '0') * 64 + (escaped[at + 2] - '0') * 8 + (escaped[at + 3] - '0');
      text += static_cast<char>(value);
      at += 3;
    } else {
      text += escaped[at];
    }
  }
  return text;
}

std::vector<CgroupMount> parse_mountinfo(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    if (const auto line = parse_line(base::take_until(text, '\n'))) lines.push_back(*line);
  }
  const MountTree tree(lines);
  std::vector<CgroupMount> mounts;
  for (std::size_t index = 0; index < lines.size(); ++index) {
    const Line& line = lines[index];
    if ((line.type != "cgroup" && line.type != "cgroup2") || !tree.visible(index)) continue;
    mounts.push_back({line.type == "cgroup2" ? 2 : 1, unescape_octal(line.root),
                      unescape_octal(line.mount_point), std::string(line.super_options)});
  }
  return mounts;
}

}  // namespace weft::budget
