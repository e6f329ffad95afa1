// SPDX-License-Identifier: Apache-2.0
// A robust process-shared mutex held by a child that is killed is recovered by its parent.

#include "support.h"

#include <sys/mman.h>
#include <sys/wait.h>

int main(void) {
  pthread_mutex_t* lock =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(lock != MAP_FAILED);
  pthread_mutexattr_t attributes;
  OK(pthread_mutexattr_init(&attributes));
  OK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
  OK(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
  OK(pthread_mutex_init(lock, &attributes));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    OK(pthread_mutex_lock(lock));
    raise(SIGKILL);
    _exit(1);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  say("child killed: %d\n", WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  say("lock: %s\n", error_name(pthread_mutex_lock(lock)));
  OK(pthread_mutex_consistent(lock));
  OK(pthread_mutex_unlock(lock));
  say("lock: %s\n", error_name(pthread_mutex_lock(lock)));
  return 0;
}
