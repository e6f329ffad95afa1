// SPDX-License-Identifier: Apache-2.0
// A named semaphore is shared with a child by its name, and is gone after sem_unlink.

#include "support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/weft-program-%d", (int)getpid());
  sem_t* semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
  CHECK(semaphore != SEM_FAILED);
  say("again, exclusively: %s\n",
      sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED ? error_name(errno) : "opened");
  say("same address: %d\n", sem_open(name, 0) == semaphore);
  OK(sem_wait(semaphore));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    sem_t* same = sem_open(name, 0);
    CHECK(same != SEM_FAILED);
    sleep_ms(20);
    OK(sem_post(same));
    OK(sem_post(same));
    _exit(0);
  }
  OK(sem_wait(semaphore));
  OK(sem_wait(semaphore));
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  OK(sem_unlink(name));
  say("gone: %s\n", sem_open(name, 0) == SEM_FAILED ? error_name(errno) : "still there");
  OK(sem_post(semaphore));
  OK(sem_wait(semaphore));
  OK(sem_close(semaphore));
  return 0;
}
