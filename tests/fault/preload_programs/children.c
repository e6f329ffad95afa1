// SPDX-License-Identifier: Apache-2.0
// Threads that start other programs, and children with threads, while the system refuses things.
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>

#include "tell.h"

extern char** environ;

static void* nothing(void* argument) {
  return argument;
}

static void wait_for(pid_t child) {
  int status = -1;
  MUST(waitpid(child, &status, 0) == child ? 0 : -1);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  if (WIFSIGNALED(status)) dprintf(STDERR_FILENO, "child: signal %d\n", WTERMSIG(status));
  _exit(3);
}

static void* start_all(void* argument) {
  pid_t child = fork();
  MUST(child < 0 ? -1 : 0);
  if (child == 0) {
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, nothing, NULL));
    MUST(pthread_join(thread, NULL));
    _exit(0);
  }
  wait_for(child);
  child = fork();
  MUST(child < 0 ? -1 : 0);
  if (child == 0) {
    execl("/bin/true", "true", (char*)NULL);
    _exit(3);
  }
  wait_for(child);
  MUST(posix_spawn(&child, "/bin/true", NULL, NULL, (char*[]){"true", NULL}, environ));
  wait_for(child);
  return argument;
}

static pthread_t all[2];

static void* finish(void* argument) {
  for (int i = 0; i < 2; ++i) MUST(pthread_join(all[i], NULL));
  dprintf(STDOUT_FILENO, "done\n");
  return argument;
}

// The process ends with its last thread.
int main(void) {
  for (int i = 0; i < 2; ++i) MUST(pthread_create(&all[i], NULL, start_all, NULL));
  pthread_t last;
  MUST(pthread_create(&last, NULL, finish, NULL));
  pthread_exit(NULL);
}
