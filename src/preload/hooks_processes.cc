// SPDX-License-Identifier: Apache-2.0
// Processes: made, executed and waited for at home.
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "preload/calls.h"
#include "preload/children.h"
#include "preload/forking.h"
#include "preload/real.h"
#include "sched/poller.h"

namespace weft::preload {
namespace {

// The arguments of the functions that take them one by one.
std::vector<char*> arguments(const char* first, va_list list) {
  std::vector<char*> result{const_cast<char*>(first)};
  while (result.back() != nullptr) result.push_back(va_arg(list, char*));
  return result;
}

int execute(const char* path, char* const* words, char* const* environment) {
  const ChildEnvironment theirs(path, environment);
  return uncancelled_home_call("exec",
                               [&] { return WEFT_REAL(execve)(path, words, theirs.get()); });
}

int execute_by_search(const char* file, char* const* words, char* const* environment) {
  const ChildEnvironment theirs(file, environment, FoundBy::path_variable);
  return uncancelled_home_call("exec",
                               [&] { return WEFT_REAL(execvpe)(file, words, theirs.get()); });
}

constexpr const char* wait_site = "wait for a process";

// A child that has ended may have changed the flags of files that it shares with us.
template <class Result>
Result waited(Result result) {
  sched::Poller::limits_changed();
  return result;
}

}  // namespace
}  // namespace weft::preload

using namespace weft;
using namespace weft::preload;

extern "C" {

pid_t fork() noexcept {
  return uncancelled_home_call("fork", [] { return WEFT_REAL(fork)(); });
}

pid_t _Fork() noexcept {
  return fork_without_handlers();
}

// A child that ran on the memory of its parent could not leave it alone.
pid_t vfork() noexcept {
  return fork();
}

int daemon(int keep_directory, int keep_descriptors) noexcept {
  return uncancelled_home_call("daemon",
                               [&] { return WEFT_REAL(daemon)(keep_directory, keep_descriptors); });
}

int execve(const char* path, char* const words[], char* const environment[]) noexcept {
  return execute(path, words, environment);
}

int execv(const char* path, char* const words[]) noexcept {
  return execute(path, words, environ);
}

int execvp(const char* file, char* const words[]) noexcept {
  return execute_by_search(file, words, environ);
}

int execvpe(const char* file, char* const words[], char* const environment[]) noexcept {
  return execute_by_search(file, words, environment);
}

int execl(const char* path, const char* first, ...) noexcept {
  va_list list;
  va_start(list, first);
  const std::vector<char*> words = arguments(first, list);
  va_end(list);
  return execute(path, words.data(), environ);
}

int execlp(const char* file, const char* first, ...) noexcept {
  va_list list;
  va_start(list, first);
  const std::vector<char*> words = arguments(first, list);
  va_end(list);
  return execute_by_search(file, words.data(), environ);
}

int execle(const char* path, const char* first, ...) noexcept {
  va_list list;
  va_start(list, first);
  const std::vector<char*> words = arguments(first, list);
  char* const* const environment = va_arg(list, char* const*);
  va_end(list);
  return execute(path, words.data(), environment);
}

int fexecve(int descriptor, char* const words[], char* const environment[]) noexcept {
  const ChildEnvironment theirs(descriptor, "", environment);
  return uncancelled_home_call("exec",
                               [&] { return WEFT_REAL(fexecve)(descriptor, words, theirs.get()); });
}

int execveat(int directory, const char* path, char* const words[], char* const environment[],
             int flags) noexcept {
  const ChildEnvironment theirs(directory, path, environment);
  return uncancelled_home_call(
      "exec", [&] { return WEFT_REAL(execveat)(directory, path, words, theirs.get(), flags); });
}

int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const words[],
                char* const environment[]) {
  const ChildEnvironment theirs(path, environment);
  return uncancelled_home_call("posix_spawn", [&] {
    return WEFT_REAL(posix_spawn)(process, path, actions, attributes, words, theirs.get());
  });
}

int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const words[],
                 char* const environment[]) {
  const ChildEnvironment theirs(file, environment, FoundBy::path_variable);
  return uncancelled_home_call("posix_spawn", [&] {
    return WEFT_REAL(posix_spawnp)(process, file, actions, attributes, words, theirs.get());
  });
}

int system(const char* command) {
  return home_call("system", [&] { return WEFT_REAL(system)(command); });
}

FILE* popen(const char* command, const char* mode) {
  return home_call("popen", [&] { return WEFT_REAL(popen)(command, mode); });
}

int pclose(FILE* stream) {
  return home_call("pclose", [&] { return WEFT_REAL(pclose)(stream); });
}

pid_t wait(int* status) {
  return waited(home_call(wait_site, [&] { return WEFT_REAL(wait)(status); }));
}

pid_t waitpid(pid_t process, int* status, int options) {
  const auto call = [&] { return WEFT_REAL(waitpid)(process, status, options); };
  return waited((options & WNOHANG) != 0 ? call() : home_call(wait_site, call));
}

int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  const auto call = [&] { return WEFT_REAL(waitid)(type, id, info, options); };
  return waited((options & WNOHANG) != 0 ? call() : home_call(wait_site, call));
}

// Points of cancellation, whatever libc's header says of exceptions.
pid_t wait3_hook(int* status, int options, rusage* usage) __asm__("wait3");
pid_t wait4_hook(pid_t process, int* status, int options, rusage* usage) __asm__("wait4");

pid_t wait3_hook(int* status, int options, rusage* usage) {
  return waited(home_call(wait_site, [&] { return WEFT_REAL(wait3)(status, options, usage); }));
}

pid_t wait4_hook(pid_t process, int* status, int options, rusage* usage) {
  return waited(
      home_call(wait_site, [&] { return WEFT_REAL(wait4)(process, status, options, usage); }));
}

}  // extern "C"
