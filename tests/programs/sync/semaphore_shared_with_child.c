// SPDX-License-Identifier: Apache-2.0
// Process-shared semaphores in shared memory pass 200 tokens from threads of the parent to a child
// and back.

#include "support.h"

#include <sys/mman.h>
#include <sys/wait.h>

static sem_t* semaphores;

static void* send(void* argument) {
  for (int i = 0; i < 50; ++i) OK(sem_post(&semaphores[0]));
  return argument;
}

int main(void) {
  semaphores = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(semaphores != MAP_FAILED);
  OK(sem_init(&semaphores[0], 1, 0));
  OK(sem_init(&semaphores[1], 1, 0));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    for (int i = 0; i < 200; ++i) {
      OK(sem_wait(&semaphores[0]));
      OK(sem_post(&semaphores[1]));
    }
    _exit(0);
  }
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = start(send, NULL);
  for (int i = 0; i < 200; ++i) OK(sem_wait(&semaphores[1]));
  for (int i = 0; i < 4; ++i) join(threads[i]);
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  int left;
  OK(sem_getvalue(&semaphores[1], &left));
  say("left: %d\n", left);
  return 0;
}
