// SPDX-License-Identifier: Apache-2.0
// Paths, /proc and waiting.
#include "bench_measured.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "bench/interrupt.h"
#include "bench/rivals.h"
#include "bench_http_proc.h"
#include "os/file.h"
#include "trial/cpus.h"
#include "trial/usage.h"

namespace weft::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds longest_start{60};
constexpr std::chrono::milliseconds look_interval{10};

}  // namespace

base::Result<std::string> find_measuring_program(const std::string& name,
                                                 const std::string& folder) {
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const std::string& place : {std::string("."), "../../" + folder}) {
    const auto candidate = (here / place / name).lexically_normal();
    if (::access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  if (std::string found = bench::find_program(name); !found.empty()) return found;
  return base::Error{name + " is neither beside " + here.string() +
                     "/weft nor in PATH; it is built, but not installed, by `make`"};
}

base::Result<MeasuringCpus> choose_measuring_cpus() {
  const auto cpus = trial::allowed_cpus(2);
  if (!cpus) return cpus.error();
  if (cpus->size() < 2) {
    return base::Error{"needs two CPUs, one for the server and one for the generator"};
  }
  return MeasuringCpus{cpus->front(), cpus->back()};
}

base::Status wait_until_ready(const trial::BackgroundProcess& process,
                              const std::function<bool()>& is_ready) {
  const auto deadline = Clock::now() + longest_start;
  while (!is_ready()) {
    if (auto status = bench::check_interrupt(); !status) return status;
    const bool has_ended = !process.is_running();
    if (has_ended || Clock::now() > deadline) {
      return base::Error{
          std::string(has_ended ? "it ended before it served" : "it does not answer") +
          ". Its last words:\n" + process.last_words()};
    }
    std::this_thread::sleep_for(look_interval);
  }
  return base::Done{};
}

double cpu_seconds_of(pid_t process) {
  const auto time = trial::read_cpu_time(process);
  return time ? time->seconds() : 0;
}

double memory_bytes_of(pid_t process) {
  constexpr double kibibyte = 1024;
  const auto text = os::read_text("/proc/" + std::to_string(process) + "/smaps_rollup");
  return text ? parse_field(*text, "Pss").value_or(0) * kibibyte : 0;
}

CpuShares::CpuShares(std::vector<pid_t> processes)
    : processes_(std::move(processes)), begun_(Clock::now()) {
  for (const pid_t process : processes_) before_.push_back(cpu_seconds_of(process));
}

std::vector<double> CpuShares::read() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  std::vector<double> shares;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    shares.push_back(std::max(0.0, cpu_seconds_of(processes_[i]) - before_[i]) / seconds);
  }
  return shares;
}

base::Status sleep_through(std::chrono::milliseconds duration) {
  const auto end = Clock::now() + duration;
  for (auto now = Clock::now(); now < end; now = Clock::now()) {
    if (auto status = bench::check_interrupt(); !status) return status;
    std::this_thread::sleep_for(std::min<Clock::duration>(look_interval, end - now));
  }
  return base::Done{};
}

}  // namespace weft::tool
