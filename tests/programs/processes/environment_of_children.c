// SPDX-License-Identifier: Apache-2.0
// An exec'ed child sees the environment of its parent and nothing else, by every way to start it.

#include "support.h"

#include <spawn.h>
#include <sys/wait.h>

extern char** environ;

enum { text_bytes = 65536, lines_most = 1000 };

static int compare(const void* left, const void* right) {
  return strcmp(*(char* const*)left, *(char* const*)right);
}

// Prints what a child writes to a pipe, sorted: the order of variables is nobody's promise.
static void tell(const char* name, pid_t child, int ends[2]) {
  static _Thread_local char text[text_bytes];
  size_t length = 0;
  OK(close(ends[1]));
  for (ssize_t count; (count = read(ends[0], text + length, text_bytes - 1 - length)) > 0;) {
    length += (size_t)count;
  }
  text[length] = '\0';
  OK(close(ends[0]));
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  char *lines[lines_most], *place;
  size_t found = 0;
  for (char* line = strtok_r(text, "\n", &place); line; line = strtok_r(NULL, "\n", &place)) {
    CHECK(found < lines_most);
    lines[found++] = line;
  }
  qsort(lines, found, sizeof *lines, compare);
  say("%s:\n", name);
  for (size_t i = 0; i < found; ++i) say("  %s\n", lines[i]);
}

static void* spawn(void* argument) {
  char* arguments[] = {"env", NULL};
  char* own[] = {"ONLY=this", NULL};
  int ends[2];
  OK(pipe(ends));
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl("/usr/bin/env", "env", (char*)NULL);
    _exit(127);
  }
  tell("fork and exec", child, ends);

  OK(pipe(ends));
  posix_spawn_file_actions_t actions;
  OK(posix_spawn_file_actions_init(&actions));
  OK(posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO));
  OK(posix_spawn(&child, "/usr/bin/env", &actions, NULL, arguments, environ));
  OK(posix_spawn_file_actions_destroy(&actions));
  tell("posix_spawn", child, ends);

  OK(pipe(ends));
  child = vfork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execve("/usr/bin/env", arguments, own);
    _exit(127);
  }
  tell("vfork and execve", child, ends);
  return argument;
}

int main(void) {
  OK(setenv("ADDED", "by the program", 1));
  spawn(NULL);
  join(start(spawn, NULL));
  say("system:\n");
  CHECK(system("env | grep -vE '^(PWD|OLDPWD|SHLVL|_)=' | sort") == 0);
  return 0;
}
