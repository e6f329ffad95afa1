// SPDX-License-Identifier: Apache-2.0
// Users and groups of the process, and identities of single threads.
//
// libc tells every thread of a new user or group but the one that asks for it, which makes the call
// itself: so it must be made by that thread's own kernel thread.
#include <grp.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/identity.h"
#include "preload/real.h"

namespace weft::preload {
namespace {

template <class Call>
int for_the_process(Call call) {
  return uncancelled_home_call("set*id", call);
}

template <class Call>
int for_this_thread(Call call) {
  keep_own_identity();
  return call();
}

}  // namespace

bool is_about_identity(long system_call) noexcept {
  switch (system_call) {
    case SYS_setuid:
    case SYS_setgid:
    case SYS_setreuid:
    case SYS_setregid:
    case SYS_setresuid:
    case SYS_setresgid:
    case SYS_setgroups:
    case SYS_setfsuid:
    case SYS_setfsgid:
    case SYS_capset:
    case SYS_unshare:
    case SYS_setns:
    case SYS_seccomp:
      return true;
    default:
      return false;
  }
}

bool is_about_identity(int prctl_option) noexcept {
  switch (prctl_option) {
    case PR_SET_SECCOMP:
    case PR_SET_NO_NEW_PRIVS:
    case PR_SET_KEEPCAPS:
    case PR_SET_SECUREBITS:
    case PR_CAPBSET_DROP:
    case PR_CAP_AMBIENT:
      return true;
    default:
      return false;
  }
}

}  // namespace weft::preload

using namespace weft::preload;

extern "C" {

int capset(void* header, const void* data) noexcept;  // no header of libc's has it

int setuid(uid_t user) noexcept {
  return for_the_process([&] { return WEFT_REAL(setuid)(user); });
}

int setgid(gid_t group) noexcept {
  return for_the_process([&] { return WEFT_REAL(setgid)(group); });
}

int seteuid(uid_t user) noexcept {
  return for_the_process([&] { return WEFT_REAL(seteuid)(user); });
}

int setegid(gid_t group) noexcept {
  return for_the_process([&] { return WEFT_REAL(setegid)(group); });
}

int setreuid(uid_t real, uid_t effective) noexcept {
  return for_the_process([&] { return WEFT_REAL(setreuid)(real, effective); });
}

int setregid(gid_t real, gid_t effective) noexcept {
  return for_the_process([&] { return WEFT_REAL(setregid)(real, effective); });
}

int setresuid(uid_t real, uid_t effective, uid_t saved) noexcept {
  return for_the_process([&] { return WEFT_REAL(setresuid)(real, effective, saved); });
}

int setresgid(gid_t real, gid_t effective, gid_t saved) noexcept {
  return for_the_process([&] { return WEFT_REAL(setresgid)(real, effective, saved); });
}

int setgroups(size_t count, const gid_t* groups) noexcept {
  return for_the_process([&] { return WEFT_REAL(setgroups)(count, groups); });
}

int initgroups(const char* user, gid_t group) {
  return for_the_process([&] { return WEFT_REAL(initgroups)(user, group); });
}

int setfsuid(uid_t user) noexcept {
  return for_this_thread([&] { return WEFT_REAL(setfsuid)(user); });
}

int setfsgid(gid_t group) noexcept {
  return for_this_thread([&] { return WEFT_REAL(setfsgid)(group); });
}

int unshare(int flags) noexcept {
  return for_this_thread([&] { return WEFT_REAL(unshare)(flags); });
}

int setns(int descriptor, int type) noexcept {
  return for_this_thread([&] { return WEFT_REAL(setns)(descriptor, type); });
}

int capset(void* header, const void* data) noexcept {
  return for_this_thread([&] { return WEFT_REAL(capset)(header, data); });
}

}  // extern "C"
