// SPDX-License-Identifier: Apache-2.0
// posix_spawn runs a program with redirected descriptors, and reports one that is not there.

#include "support.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

extern char** environ;

static void* spawn(void* argument) {
  int ends[2], status;
  OK(pipe(ends));
  posix_spawn_file_actions_t actions;
  OK(posix_spawn_file_actions_init(&actions));
  OK(posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO));
  OK(posix_spawn_file_actions_addclose(&actions, ends[0]));
  OK(posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/etc/passwd", O_RDONLY, 0));
  char* arguments[] = {"sh", "-c", "read line; echo \"${line%%:*}\"; exit 12", NULL};
  pid_t child;
  OK(posix_spawn(&child, "/bin/sh", &actions, NULL, arguments, environ));
  close(ends[1]);
  char text[64];
  ssize_t length = read(ends[0], text, sizeof text - 1);
  CHECK(length > 0);
  text[length] = '\0';
  CHECK(read(ends[0], text + length, 1) == 0);
  close(ends[0]);
  CHECK(waitpid(child, &status, 0) == child);
  say("code %d, read %s", WEXITSTATUS(status), text);
  say("not there: %s\n",
      error_name(posix_spawn(&child, "/nowhere/at/all", NULL, NULL, arguments, environ)));
  OK(posix_spawn_file_actions_destroy(&actions));
  OK(posix_spawnp(&child, "true", NULL, NULL, (char*[]){"true", NULL}, environ));
  CHECK(waitpid(child, &status, 0) == child);
  say("found in PATH: %d\n", WEXITSTATUS(status));
  return argument;
}

int main(void) {
  spawn(NULL);
  join(start(spawn, NULL));
  return 0;
}
