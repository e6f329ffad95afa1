// SPDX-License-Identifier: Apache-2.0
// A child forked in a thread continues in a copy of that thread only, with its identity, locals
// and storage.

#include "support.h"

#include <dirent.h>
#include <sys/wait.h>

static _Thread_local int own = 1;
static pthread_t self_before;

static int count_tasks(void) {
  DIR* folder = opendir("/proc/self/task");
  CHECK(folder != NULL);
  int count = 0;
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static void* idle(void* argument) {
  for (;;) pause();
  return argument;
}

static void* fork_here(void* argument) {
  int local = 17;
  own = 5;
  self_before = pthread_self();
  sleep_ms(2);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    say("child: own %d, local %d, same thread %d, tasks %d\n", own, local,
        pthread_equal(self_before, pthread_self()) != 0, count_tasks());
    CHECK(gettid() == getpid());
    _exit(9);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  say("parent: own %d, child's code %d\n", own, WEXITSTATUS(status));
  return argument;
}

int main(void) {
  start(idle, NULL);
  join(start(fork_here, NULL));
  return 0;
}
