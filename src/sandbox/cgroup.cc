// SPDX-License-Identifier: Apache-2.0
// A cgroup of our own with a CPU quota, made for one measurement or test and gone afterwards.
#include "sandbox/cgroup.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "os/file.h"
#include "sandbox/place.h"
#include "sandbox/removal.h"

namespace weft::sandbox {
namespace {

base::Status make_directory(const std::string& directory) {
  if (::mkdir(directory.c_str(), 0755) != 0) return os::last_error("make the cgroup", directory);
  return base::Done{};
}

// The same Error, with what it means for the reader.
base::Error explained(const base::Error& error, const std::string& meaning) {
  return {error.message + "; " + meaning, error.code};
}

base::Status hand_on_cpu(const std::string& directory) {
  auto status = os::write_text(directory + "/cgroup.subtree_control", "+cpu");
  if (!status && status.error().code == EBUSY) {
    return explained(status.error(),
                     "cgroup v2 hands on a controller only where no process is in the cgroup "
                     "itself: make the group below it before a process enters");
  }
  return status;
}

// Ends what hand_on_cpu() began, unless a group of a parallel run still needs it.
void take_cpu_back(const std::string& directory) {
  if (!has_groups(directory)) {
    (void)os::write_text(directory + "/cgroup.subtree_control", "-cpu");
  }
}

std::string quota_text(const Quota& quota) {
  return std::to_string(std::llround(quota.cores * static_cast<double>(quota.period.count())));
}

// Two files, of which each write must make sense together with the other file's old value and with
// the quotas above and below: so what is refused in one order may be taken in the other.
base::Status write_v1_quota(const std::string& directory, const Quota& quota) {
  const std::string quota_file = directory + "/cpu.cfs_quota_us";
  const std::string period_file = directory + "/cpu.cfs_period_us";
  const std::string period = std::to_string(quota.period.count());

  const auto old_period = os::read_text(period_file);
  if (!old_period) return old_period.error();
  if (base::trim(*old_period) == period) return os::write_text(quota_file, quota_text(quota));

  const auto old_quota = os::read_text(quota_file);
  if (!old_quota) return old_quota.error();
  auto status = os::write_text(period_file, period);
  if (status) {
    status = os::write_text(quota_file, quota_text(quota));
    if (!status) (void)os::write_text(period_file, base::trim(*old_period));
    return status;
  }
  status = os::write_text(quota_file, quota_text(quota));
  if (!status) return status;
  status = os::write_text(period_file, period);
  if (!status) (void)os::write_text(quota_file, base::trim(*old_quota));
  return status;
}

}  // namespace

Cgroup::Cgroup(std::string directory, std::string origin, int version)
    : directory_(std::move(directory)),
      origin_(std::move(origin)),
      version_(version),
      maker_(::getpid()) {}

Cgroup::Cgroup(Cgroup&& other) noexcept
    : directory_(std::exchange(other.directory_, {})),
      origin_(std::move(other.origin_)),
      handing_on_(std::exchange(other.handing_on_, {})),
      version_(other.version_),
      maker_(other.maker_) {}

Cgroup& Cgroup::operator=(Cgroup&& other) noexcept {
  if (this != &other) {
    remove();
    directory_ = std::exchange(other.directory_, {});
    origin_ = std::move(other.origin_);
    handing_on_ = std::exchange(other.handing_on_, {});
    version_ = other.version_;
    maker_ = other.maker_;
  }
  return *this;
}

Cgroup::~Cgroup() {
  remove();
}

void Cgroup::remove() noexcept {
  if (directory_.empty() || maker_ != ::getpid()) return;
  remove_group(directory_, origin_);
  if (!handing_on_.empty()) take_cpu_back(handing_on_);
  directory_.clear();
  handing_on_.clear();
}

base::Result<Cgroup> Cgroup::create(std::optional<Quota> quota) {
  static std::atomic<unsigned> next_number{0};
  static std::atomic<bool> handed_on{false};  // by this process: the last of its groups ends it

  const auto place = find_place();
  if (!place) return place.error();
  remove_stale_groups(place->parent, place->origin);
  if (place->must_hand_on) {
    if (const auto status = hand_on_cpu(place->parent); !status) {
      return explained(status.error(), how_to_allow);
    }
    handed_on = true;
  }

  std::string directory;
  while (true) {
    directory =
        place->parent + "/weft-" + std::to_string(::getpid()) + "-" + std::to_string(next_number++);
    const auto status = make_directory(directory);
    if (status) break;
    // Made by a process with our number in another pid namespace: take the next name.
    if (status.error().code != EEXIST) {
      if (place->must_hand_on) take_cpu_back(place->parent);
      return explained(status.error(), how_to_allow);
    }
  }
  Cgroup group(directory, place->origin, place->version);
  if (handed_on && place->version == 2) group.handing_on_ = place->parent;
  if (quota) {
    if (const auto status = group.set_quota(quota); !status) return status.error();
  }
  return group;
}

base::Result<Cgroup> Cgroup::create_child(const std::string& name,
                                          std::optional<Quota> quota) const {
  if (name.empty() || name.find('/') != std::string::npos || name.front() == '.') {
    return base::Error{"cannot make the cgroup \"" + base::printable(name) + "\" in " + directory_ +
                           ": a name is one word without '/' that does not begin with '.'",
                       EINVAL};
  }
  if (version_ == 2) {
    if (const auto status = hand_on_cpu(directory_); !status) return status.error();
  }
  if (const auto status = make_directory(directory_ + "/" + name); !status) return status.error();
  Cgroup child(directory_ + "/" + name, origin_, version_);
  if (quota) {
    if (const auto status = child.set_quota(quota); !status) return status.error();
  }
  return child;
}

base::Status Cgroup::set_quota(std::optional<Quota> quota) const {
  auto status = base::Status(base::Done{});
  if (version_ == 2) {
    status = os::write_text(
        directory_ + "/cpu.max",
        quota ? quota_text(*quota) + " " + std::to_string(quota->period.count()) : "max");
  } else if (quota) {
    status = write_v1_quota(directory_, *quota);
  } else {
    status = os::write_text(directory_ + "/cpu.cfs_quota_us", "-1");
  }
  if (!status && status.error().code == EINVAL) {
    return explained(status.error(),
                     "the kernel takes a quota of 1 ms or more in a period of 1 ms to 1 s, and "
                     "cgroup v1 none that is looser than a quota above it or tighter than one "
                     "below it");
  }
  return status;
}

base::Status Cgroup::prefer() const {
  // The largest weights that the kernel takes.
  return version_ == 2 ? os::write_text(directory_ + "/cpu.weight", "10000")
                       : os::write_text(directory_ + "/cpu.shares", "262144");
}

base::Status Cgroup::enter(pid_t process) const {
  return os::write_text(directory_ + "/cgroup.procs", std::to_string(process));
}

base::Status Cgroup::leave(pid_t process) const {
  return os::write_text(origin_ + "/cgroup.procs", std::to_string(process));
}

}  // namespace weft::sandbox
