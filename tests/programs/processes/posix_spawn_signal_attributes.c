// SPDX-License-Identifier: Apache-2.0
// A program spawned with a mask, defaults and a process group has exactly these.

#include "support.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

extern char** environ;

static void* spawn(void* argument) {
  posix_spawnattr_t attributes;
  OK(posix_spawnattr_init(&attributes));
  sigset_t mask = only(SIGUSR2), defaults = only(SIGUSR1);
  OK(posix_spawnattr_setsigmask(&attributes, &mask));
  OK(posix_spawnattr_setsigdefault(&attributes, &defaults));
  OK(posix_spawnattr_setpgroup(&attributes, 0));
  OK(posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP));
  char* arguments[] = {"grep", "-E", "^Sig(Blk|Ign|Cgt)", "/proc/self/status", NULL};
  pid_t child;
  int status;
  OK(posix_spawnp(&child, "grep", NULL, &attributes, arguments, environ));
  int own_group = getpgid(child) == child;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  say("own group: %d\n", own_group);
  OK(posix_spawnattr_destroy(&attributes));
  return argument;
}

int main(void) {
  on_signal(SIGUSR1, SIG_IGN, 0);
  spawn(NULL);
  join(start(spawn, NULL));
  return 0;
}
