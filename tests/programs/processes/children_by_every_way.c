// SPDX-License-Identifier: Apache-2.0
// However a program is started, its environment, descriptors and signal mask are what they would
// be.

#include "support.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char** environ;

// The shell's own variables are left out; ls opens the folder at the lowest number that is free.
#define SHOW                                                            \
  "env | grep -vE '^(PWD|OLDPWD|SHLVL|_)=' | sort; ls /proc/self/fd | " \
  "tr '\\n' ' '; grep SigBlk /proc/self/status"

static char* words[] = {"sh", "-c", SHOW, NULL};
static char* own[] = {"PATH=/usr/bin:/bin", "ONLY=this", NULL};

enum way { by_execv, by_execle, by_execve, by_execvpe, by_execlp, by_fexecve, by_execveat, ways };
static const char* const names[] = {"execv",  "execle",  "execve",  "execvpe",
                                    "execlp", "fexecve", "execveat"};

static void execute(enum way way) {
  int file = open("/bin/sh", O_RDONLY | O_CLOEXEC);
  switch (way) {
    case by_execv:
      execv("/bin/sh", words);
      break;
    case by_execle:
      execle("/bin/sh", "sh", "-c", SHOW, (char*)NULL, own);
      break;
    case by_execve:
      execve("/bin/sh", words, own);
      break;
    case by_execvpe:
      execvpe("sh", words, own);
      break;
    case by_execlp:
      execlp("sh", "sh", "-c", SHOW, (char*)NULL);
      break;
    case by_fexecve:
      fexecve(file, words, environ);
      break;
    default:
      execveat(file, "", words, own, AT_EMPTY_PATH);
  }
  _exit(127);
}

static void wait_for(pid_t child) {
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

// Not inlined: a child of vfork() must not write to the variables of its parent's frame.
__attribute__((noinline)) static pid_t start_by(enum way way) {
  pid_t child = way % 2 == 0 ? fork() : vfork();
  if (child == 0) execute(way);
  return child;
}

static void* start_all(void* argument) {
  for (enum way way = 0; way < ways; ++way) {
    say("%s\n", names[way]);
    wait_for(start_by(way));
  }
  pid_t child;
  say("posix_spawn\n");
  OK(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ));
  wait_for(child);
  say("posix_spawnp\n");
  OK(posix_spawnp(&child, "sh", NULL, NULL, words, own));
  wait_for(child);
  say("system\n");
  CHECK(system(SHOW) == 0);
  say("popen\n");
  FILE* pipe = popen(SHOW, "r");
  CHECK(pipe != NULL);
  char line[4096];
  while (fgets(line, sizeof line, pipe) != NULL) say("%s", line);
  CHECK(pclose(pipe) == 0);
  return argument;
}

int main(void) {
  OK(setenv("ADDED", "by the program", 1));
  start_all(NULL);
  join(start(start_all, NULL));
  start_all(NULL);
  return 0;
}
